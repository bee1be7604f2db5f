package dev.holdfast.bench.consul;

import dev.holdfast.bench.Framing;
import dev.holdfast.bench.Site;
import dev.holdfast.bench.Store;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastClient;
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
  public boolean pushes() {
    return true;
  }

  @Override
  public Framing framing() {
    return HttpCounter::new;
  }

  @Override
  public List<Contender> contenders() {
    return List.of(HoldfastClient.BY_DEFAULT, HoldfastClient.WITHOUT_HAND_OFF);
  }

  @Override
  public Site start() throws IOException {
    ConsulServer server = ConsulServer.start();
    String self = server.get("/v1/agent/self");
    String version = self.replaceFirst("(?s).*?\"Version\": *\"([^\"]*)\".*", "$1");
    return new Site(server.url(), server.port(), "Consul " + version + ", one server", server);
  }
}
