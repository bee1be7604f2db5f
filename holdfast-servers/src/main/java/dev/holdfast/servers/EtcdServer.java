package dev.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An etcd server, alone or as a member of an {@link EtcdCluster}. */
public final class EtcdServer extends ServerNode {

  private final String url;

  private EtcdServer(ServerProcess process) {
    super(process);
    this.url = "etcd://127.0.0.1:" + process.port();
  }

  private EtcdServer(String url) {
    super(null);
    this.url = url;
  }

  /** The server that the tests of this JVM share. */
  public static EtcdServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own, with options as on the command line: {@code --name=value}. */
  public static EtcdServer start(String... options) {
    int peers = Ports.free();
    Recipe recipe = new Etcd("alone", peers, "alone=" + address(peers), List.of(options));
    return new EtcdServer(ServerProcess.start(recipe));
  }

  static EtcdServer member(String name, int peers, String cluster, List<String> options) {
    return new EtcdServer(ServerProcess.start(new Etcd(name, peers, cluster, options)));
  }

  static String address(int port) {
    return "http://127.0.0.1:" + port;
  }

  /** {@code etcd://host:port}. */
  public String url() {
    return url;
  }

  /** {@code http://host:port}, as etcd's own clients want it. */
  public String endpoint() {
    return url.replaceFirst("^etcd://", "http://");
  }

  /** Whether it says that it leads. */
  public boolean leads() {
    try {
      String status = post("/v3/maintenance/status", "{}");
      return field(status, "leader").equals(field(status, "member_id"));
    } catch (IOException e) {
      throw new UncheckedIOException(this + " does not say who leads", e);
    }
  }

  /** Sends JSON to the server's gateway. */
  public String post(String path, String json) throws IOException {
    return Line.post(port(), path, json);
  }

  private static String field(String json, String name) {
    return json.replaceFirst(".*\"" + name + "\":\"?([^\",}]*).*", "$1");
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final EtcdServer SERVER =
        Server.ETCD.url().map(EtcdServer::new).orElseGet(EtcdServer::start);
  }

  /** How etcd is started. */
  private record Etcd(String member, int peers, String cluster, List<String> options)
      implements Recipe {

    @Override
    public String name() {
      return "etcd";
    }

    @Override
    public List<String> command(Path data, int port) {
      List<String> command = new ArrayList<>();
      command.add(Programs.get("etcd").toString());
      command.add("--name=" + member);
      command.add("--data-dir=" + data);
      command.add("--listen-client-urls=" + address(port));
      command.add("--advertise-client-urls=" + address(port));
      command.add("--listen-peer-urls=" + address(peers));
      command.add("--initial-advertise-peer-urls=" + address(peers));
      command.add("--initial-cluster=" + cluster);
      command.add("--initial-cluster-state=new");
      command.add("--logger=zap");
      command.add("--log-level=warn");
      command.addAll(options);
      return command;
    }

    @Override
    public void ask(int port) throws IOException {
      Line.get(port, "/health");
    }
  }
}
