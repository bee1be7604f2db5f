package dev.holdfast.servers;

import dev.holdfast.servers.client.Await;
import dev.holdfast.servers.process.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three etcd servers, of which two must agree. */
public final class EtcdCluster extends ServerGroup<EtcdServer> {

  private static final int SIZE = 3;

  private EtcdCluster(List<EtcdServer> nodes) {
    super(nodes);
  }

  /** Starts three servers and waits until all serve. */
  public static EtcdCluster start(String... options) {
    return start("etcd", peer -> peer, options);
  }

  /**
   * The same, behind a network of the test's making.
   *
   * @param network takes the port of a member and returns the one where the others find it
   */
  public static EtcdCluster startBehind(IntUnaryOperator network, String... options) {
    return start("etcd", network, options);
  }

  /** The same, of etcd 3.5. */
  public static EtcdCluster start35(String... options) {
    return start("etcd-3.5", peer -> peer, options);
  }

  private static EtcdCluster start(String program, IntUnaryOperator network, String... options) {
    List<Integer> peers = IntStream.range(0, SIZE).mapToObj(number -> Ports.free()).toList();
    List<Integer> found = peers.stream().map(network::applyAsInt).toList();
    String cluster =
        IntStream.range(0, SIZE)
            .mapToObj(number -> "n" + number + "=" + EtcdServer.address(found.get(number)))
            .collect(Collectors.joining(","));
    List<Callable<EtcdServer>> starts = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      int number = i;
      starts.add(
          () ->
              EtcdServer.member(
                  program,
                  "n" + number,
                  peers.get(number),
                  found.get(number),
                  cluster,
                  List.of(options)));
    }
    return new EtcdCluster(together(starts));
  }

  /** {@code etcd://host:port,…}. */
  public String url() {
    return "etcd://" + addresses(nodes());
  }

  /** Waits until one of those that run says that it leads, and returns it. */
  public EtcdServer leader() {
    List<EtcdServer> found = new ArrayList<>();
    Await.until(
        "there is a leader",
        () -> {
          found.clear();
          nodes().stream().filter(EtcdCluster::leads).forEach(found::add);
          return !found.isEmpty();
        });
    return found.get(0);
  }

  private static boolean leads(EtcdServer node) {
    try {
      return node.leads();
    } catch (java.io.UncheckedIOException noAnswer) {
      return false;
    }
  }
}
