package dev.holdfast.servers;

import dev.holdfast.servers.client.Await;
import dev.holdfast.servers.process.Ports;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** Three Consul servers, of which two must agree. */
public final class ConsulCluster extends ServerGroup<ConsulServer> {

  private static final int SIZE = 3;

  private final List<Integer> raftPorts;

  private ConsulCluster(List<ConsulServer> nodes, List<Integer> raftPorts) {
    super(nodes);
    this.raftPorts = raftPorts;
  }

  /** Starts three servers and waits until all serve. */
  public static ConsulCluster start() {
    return start("{}");
  }

  /** With more settings, the same for all: JSON as in a file of Consul's configuration. */
  public static ConsulCluster start(String settings) {
    List<Integer> raft = IntStream.range(0, SIZE).mapToObj(number -> Ports.free()).toList();
    List<Integer> serf = IntStream.range(0, SIZE).mapToObj(number -> Ports.free()).toList();
    List<Callable<ConsulServer>> starts = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      int number = i;
      starts.add(
          () ->
              ConsulServer.member(
                  "n" + number, raft.get(number), serf.get(number), serf, settings));
    }
    return new ConsulCluster(together(starts), raft);
  }

  /** {@code consul://host:port,…}. */
  public String url() {
    return "consul://" + addresses(nodes());
  }

  /** Waits until this member knows a leader that runs, and returns that. */
  public ConsulServer leaderSeenBy(ConsulServer member) {
    List<ConsulServer> found = new ArrayList<>();
    Await.until(
        "there is a leader",
        () -> {
          member.put("/v1/kv/holdfast-servers/ready", "yes");
          found.clear();
          found.add(nodes().get(raftPorts.indexOf(leaderPort(member))));
          return true;
        });
    return found.get(0);
  }

  private static int leaderPort(ConsulServer member) throws IOException {
    String address = member.get("/v1/status/leader").replace("\"", "");
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }
}
