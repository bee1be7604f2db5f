package dev.holdfast.servers;

import dev.holdfast.servers.client.PlainClient;
import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A ZooKeeper server in a separate JVM, alone or as a member of a {@link ZooKeeperEnsemble}. */
public final class ZooKeeperServer extends ServerNode {

  private final String address;

  private ZooKeeperServer(ServerProcess process) {
    super(process);
    this.address = "127.0.0.1:" + process.port();
  }

  private ZooKeeperServer(String url) {
    super(null);
    this.address = url.replaceFirst("^zookeeper://", "");
  }

  /** The server that the tests of this JVM share. */
  public static ZooKeeperServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own, with settings as in {@code zoo.cfg}: {@code name=value}. */
  public static ZooKeeperServer start(String... settings) {
    return start(List.of(), settings);
  }

  /** The same with a JAAS file, whose section {@code Server} says who may log in with SASL. */
  public static ZooKeeperServer startWithLogins(Path jaas, String... settings) {
    return start(List.of("-Djava.security.auth.login.config=" + jaas), settings);
  }

  /** The same with room for very many nodes: they are all in memory. */
  public static ZooKeeperServer startWithHeap(int megabytes, String... settings) {
    return start(List.of("-Xmx" + megabytes + "m"), settings);
  }

  private static ZooKeeperServer start(List<String> jvm, String... settings) {
    return new ZooKeeperServer(ServerProcess.start(new ZooKeeper("", List.of(settings), jvm)));
  }

  static ZooKeeperServer member(int number, int port, List<String> settings) {
    Recipe recipe = new ZooKeeper(Integer.toString(number), settings, List.of());
    return new ZooKeeperServer(ServerProcess.start(recipe, port));
  }

  /** {@code zookeeper://host:port}. */
  public String url() {
    return "zookeeper://" + address;
  }

  /** {@code host:port}, as ZooKeeper's own client wants it. */
  public String connectString() {
    return address;
  }

  /** What it says it is: standalone, leader or follower. */
  public String mode() {
    try {
      return mode(port());
    } catch (IOException e) {
      throw new UncheckedIOException(this + " does not say what it is", e);
    }
  }

  private static String mode(int port) throws IOException {
    String answer = PlainClient.ask(port, "srvr");
    return answer
        .lines()
        .filter(line -> line.startsWith("Mode: "))
        .map(line -> line.substring("Mode: ".length()))
        .findFirst()
        .orElseThrow(() -> new IOException(answer.strip()));
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final ZooKeeperServer SERVER =
        Server.ZOOKEEPER.url().map(ZooKeeperServer::new).orElseGet(ZooKeeperServer::start);
  }

  /**
   * How ZooKeeper is started.
   *
   * @param id empty for a server that stands alone
   * @param jvm options beside those that all have, or instead of them
   */
  private record ZooKeeper(String id, List<String> settings, List<String> jvm) implements Recipe {

    @Override
    public String name() {
      return "zookeeper";
    }

    @Override
    public void prepare(Path data) throws IOException {
      if (!id.isEmpty()) {
        Files.writeString(data.resolve("myid"), id);
      }
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      List<String> lines = new ArrayList<>();
      lines.add("dataDir=" + data);
      lines.add("clientPort=" + port);
      lines.add("clientPortAddress=127.0.0.1");
      // Sessions last for two ticks at least: one second.
      lines.add("tickTime=500");
      lines.add("maxSessionTimeout=60000");
      lines.add("initLimit=20");
      lines.add("syncLimit=6");
      lines.add("maxClientCnxns=0");
      lines.add("admin.enableServer=false");
      // A killed process loses nothing that the system has taken; only the machine's end would.
      lines.add("forceSync=no");
      lines.addAll(settings);
      Path file = Files.write(data.resolveSibling("zoo.cfg"), lines);
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(
          List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
      command.addAll(jvm);
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add("org.apache.zookeeper.server.quorum.QuorumPeerMain");
      command.add(file.toString());
      return command;
    }

    @Override
    public void ask(int port) throws IOException {
      mode(port);
    }
  }
}
