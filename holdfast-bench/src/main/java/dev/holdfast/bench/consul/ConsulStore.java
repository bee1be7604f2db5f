package dev.holdfast.bench.consul;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.servers.ConsulServer;
import java.io.IOException;
import java.util.List;

/** Consul. */
public final class ConsulStore implements Store {

  @Override
  public String name() {
    return "consul";
  }

  @Override
  public String title() {
    return "Consul";
  }

  @Override
  public boolean pushes() {
    return true;
  }

  @Override
  public Framing framing() {
    return HttpCounter::new;
  }

  @Override
  public List<Contender> contenders() {
    return HoldfastClient.ALL;
  }

  @Override
  public RunningServer start() throws IOException {
    ConsulServer server = ConsulServer.start();
    String self = server.get("/v1/agent/self");
    String version = self.replaceFirst("(?s).*?\"Version\": *\"([^\"]*)\".*", "$1");
    return new RunningServer(
        server.url(), server.port(), "Consul " + version + ", one server", server);
  }
}
