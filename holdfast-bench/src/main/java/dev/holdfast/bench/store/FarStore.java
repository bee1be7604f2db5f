package dev.holdfast.bench.store;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;

/**
 * A store behind a network.
 *
 * @param roundTrip what the network adds to a request and its answer together, at least
 */
public record FarStore(Store store, Duration roundTrip) implements Store {

  @Override
  public String name() {
    return store.name() + "-" + millis() + "ms";
  }

  @Override
  public String title() {
    return store.title() + ", " + millis() + " ms of network";
  }

  @Override
  public boolean pushes() {
    return store.pushes();
  }

  @Override
  public boolean isDurable() {
    return store.isDurable();
  }

  @Override
  public Framing framing() {
    return store.framing();
  }

  @Override
  public List<Contender> contenders() {
    return store.contenders();
  }

  @Override
  public boolean offers(String workload) {
    return store.offers(workload);
  }

  @Override
  public RunningServer start() throws Exception {
    RunningServer server = store.start();
    TcpProxy network = TcpProxy.to("127.0.0.1", server.port());
    network.delay(roundTrip.dividedBy(2));
    return new RunningServer(
        server.url(network.port()),
        network.port(),
        server.version() + ", " + millis() + " ms of network",
        () -> {
          network.close();
          server.close();
        });
  }

  private String millis() {
    double millis = roundTrip.toNanos() / 1e6;
    return millis == Math.rint(millis) ? "" + (long) millis : "" + millis;
  }
}
