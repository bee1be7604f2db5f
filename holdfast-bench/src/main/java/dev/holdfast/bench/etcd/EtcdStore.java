package dev.holdfast.bench.etcd;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.servers.EtcdServer;
import java.io.IOException;
import java.util.List;

/** etcd. */
public final class EtcdStore implements Store {

  @Override
  public String name() {
    return "etcd";
  }

  @Override
  public String title() {
    return "etcd";
  }

  @Override
  public boolean pushes() {
    return true;
  }

  @Override
  public Framing framing() {
    return GrpcCounter::new;
  }

  @Override
  public List<Contender> contenders() {
    return List.of(
        HoldfastClient.BY_DEFAULT,
        HoldfastClient.WITHOUT_HAND_OFF,
        HoldfastClient.WITH_SLICE,
        EtcdFloor.CONTENDER,
        Jetcd.CONTENDER);
  }

  @Override
  public RunningServer start() throws IOException {
    EtcdServer server = EtcdServer.start();
    String status = server.post("/v3/maintenance/status", "{}");
    String version = status.replaceFirst(".*\"version\":\"([^\"]*)\".*", "$1");
    return new RunningServer(
        server.url(),
        server.port(),
        "etcd " + version + ", one server, without waiting for the disk",
        server);
  }

  /** Host and port. */
  static String authority(String url) {
    return url.replaceFirst("^etcd://", "");
  }
}
