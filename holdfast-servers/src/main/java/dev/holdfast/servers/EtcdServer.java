package dev.holdfast.servers;

import dev.holdfast.servers.client.PlainClient;
import dev.holdfast.servers.process.Ports;
import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An etcd server, alone or as a member of an {@link EtcdCluster}. */
public final class EtcdServer extends ServerNode {

  private final String url;

  private EtcdServer(ServerProcess process, String url) {
    super(process);
    this.url = url;
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
    return member("etcd", "alone", peers, peers, "alone=" + address(peers), List.of(options));
  }

  /**
   * A server that speaks TLS at its {@link #url}, and plain text at its {@link #port}, beside it.
   *
   * @param ca the authority that signs the clients' certificates; all must show one
   */
  public static EtcdServer startTls(Path cert, Path key, Path ca) {
    int peers = Ports.free();
    int secure = Ports.free();
    List<String> options =
        List.of(
            "--cert-file=" + cert,
            "--key-file=" + key,
            "--trusted-ca-file=" + ca,
            "--client-cert-auth");
    Recipe recipe =
        new Etcd("etcd", "alone", peers, peers, "alone=" + address(peers), secure, options);
    return new EtcdServer(ServerProcess.start(recipe), "etcds://127.0.0.1:" + secure);
  }

  static EtcdServer member(
      String program,
      String name,
      int peers,
      int advertised,
      String cluster,
      List<String> options) {
    ServerProcess process =
        ServerProcess.start(new Etcd(program, name, peers, advertised, cluster, 0, options));
    return new EtcdServer(process, "etcd://127.0.0.1:" + process.port());
  }

  static String address(int port) {
    return "http://127.0.0.1:" + port;
  }

  /** {@code etcd://host:port}, or {@code etcds://}. */
  public String url() {
    return url;
  }

  /** {@code http://host:port}, as etcd's own clients want it. */
  public String endpoint() {
    return url.replaceFirst("^etcd://", "http://");
  }

  /** Returns whether it says that it leads. */
  public boolean leads() {
    try {
      String status = post("/v3/maintenance/status", "{}");
      return field(status, "leader").equals(field(status, "member_id"));
    } catch (IOException e) {
      throw new UncheckedIOException(this + " does not name the leader", e);
    }
  }

  /** Sends JSON to the server's gateway. */
  public String post(String path, String json) throws IOException {
    return PlainClient.post(port(), path, json);
  }

  private static String field(String json, String name) {
    return json.replaceFirst(".*\"" + name + "\":\"?([^\",}]*).*", "$1");
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final EtcdServer SERVER =
        Server.ETCD.url().map(EtcdServer::new).orElseGet(EtcdServer::start);
  }

  /**
   * How etcd is started.
   *
   * @param peers where it listens for the other members
   * @param advertised where they find it
   * @param secure where it speaks TLS; 0: nowhere
   */
  private record Etcd(
      String program,
      String member,
      int peers,
      int advertised,
      String cluster,
      int secure,
      List<String> options)
      implements Recipe {

    @Override
    public String name() {
      return "etcd";
    }

    @Override
    public List<String> command(Path data, int port) {
      List<String> command = new ArrayList<>();
      command.add(Programs.get(program).toString());
      command.add("--name=" + member);
      command.add("--data-dir=" + data);
      String tls = secure == 0 ? "" : ",https://127.0.0.1:" + secure;
      command.add("--listen-client-urls=" + address(port) + tls);
      command.add("--advertise-client-urls=" + address(port));
      command.add("--listen-peer-urls=" + address(peers));
      command.add("--initial-advertise-peer-urls=" + address(advertised));
      command.add("--initial-cluster=" + cluster);
      command.add("--initial-cluster-state=new");
      // What it has written outlives a kill all the same; only the machine itself never fails here.
      command.add("--unsafe-no-fsync");
      command.add("--logger=zap");
      command.add("--log-level=warn");
      command.addAll(options);
      return command;
    }

    @Override
    public void ask(int port) throws IOException {
      PlainClient.get(port, "/health");
    }
  }
}
