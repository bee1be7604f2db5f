package dev.holdfast.bench.memcached;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.servers.MemcachedServer;
import java.io.IOException;
import java.util.List;

/** Memcached. */
public final class MemcachedStore implements Store {

  @Override
  public String name() {
    return "memcached";
  }

  @Override
  public String title() {
    return "Memcached";
  }

  @Override
  public boolean pushes() {
    return false;
  }

  @Override
  public Framing framing() {
    return MemcachedCounter::new;
  }

  @Override
  public List<Contender> contenders() {
    return HoldfastClient.ALL.stream()
        .map(contender -> contender.without(Feature.FAIR, Feature.READ_WRITE))
        .toList();
  }

  /** It keeps no readers. */
  @Override
  public boolean offers(String workload) {
    return !workload.equals("read-mostly");
  }

  @Override
  public RunningServer start() throws IOException {
    MemcachedServer server = MemcachedServer.start();
    String version = server.command("version").replace("VERSION", "Memcached");
    return new RunningServer(server.url(), server.port(), version, server);
  }
}
