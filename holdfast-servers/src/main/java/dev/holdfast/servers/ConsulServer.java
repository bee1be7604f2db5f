package dev.holdfast.servers;

import dev.holdfast.servers.client.PlainClient;
import dev.holdfast.servers.process.Ports;
import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A Consul server, alone or as a member of a {@link ConsulCluster}. */
public final class ConsulServer extends ServerNode {

  private final String url;

  private ConsulServer(ServerProcess process) {
    super(process);
    this.url = "consul://127.0.0.1:" + process.port();
  }

  private ConsulServer(String url) {
    super(null);
    this.url = url;
  }

  /** The server that the tests of this JVM share. */
  public static ConsulServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own. */
  public static ConsulServer start() {
    return start("{}");
  }

  /** A server of one's own, with more settings: JSON as in a file of Consul's configuration. */
  public static ConsulServer start(String settings) {
    int serf = Ports.free();
    return member("alone", Ports.free(), serf, List.of(serf), settings);
  }

  static ConsulServer member(
      String name, int raft, int serf, List<Integer> everybodysSerf, String settings) {
    return new ConsulServer(
        ServerProcess.start(new Consul(name, raft, serf, Ports.free(), everybodysSerf, settings)));
  }

  /** {@code consul://host:port}. */
  public String url() {
    return url;
  }

  /** What a path of its HTTP interface answers. */
  public String get(String path) throws IOException {
    return PlainClient.get(port(), path);
  }

  /** What it answers to a PUT. */
  public String put(String path, String body) throws IOException {
    return PlainClient.put(port(), path, body);
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final ConsulServer SERVER =
        Server.CONSUL.url().map(ConsulServer::new).orElseGet(ConsulServer::start);
  }

  /** How Consul is started. */
  private record Consul(
      String member, int raft, int serf, int wan, List<Integer> everybodysSerf, String settings)
      implements Recipe {

    @Override
    public String name() {
      return "consul";
    }

    @Override
    public boolean keepsLittle() {
      return true;
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      String others =
          everybodysSerf.stream()
              .filter(other -> other != serf)
              .map(other -> "\"127.0.0.1:" + other + "\"")
              .collect(Collectors.joining(","));
      // A server that is down for a moment must not lose its vote: with the next one there would be
      // no
      // majority.
      Path file =
          Files.writeString(
              data.resolveSibling("consul.json"),
              """
              {
                "node_name": "%s", "server": true, "bootstrap_expect": %d, "data_dir": "%s",
                "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1", "retry_join": [%s],
                "retry_interval": "1s", "disable_update_check": true, "log_level": "warn",
                "performance": {"raft_multiplier": 1},
                "autopilot": {"cleanup_dead_servers": false},
                "ports": {"http": %d, "server": %d, "serf_lan": %d, "serf_wan": %d, "dns": -1, "grpc": -1}
              }
              """
                  .formatted(member, everybodysSerf.size(), data, others, port, raft, serf, wan));
      Path more = Files.writeString(data.resolveSibling("more.json"), settings);
      return List.of(
          Programs.get("consul").toString(),
          "agent",
          "-config-file=" + file,
          "-config-file=" + more);
    }

    @Override
    public void ask(int port) throws IOException {
      if (PlainClient.get(port, "/v1/status/leader").equals("\"\"")) {
        throw new IOException("it has no leader");
      }
      // A write goes through the leader: it answers only when that has taken office.
      // A server that requires a token answers too when it refuses.
      try {
        PlainClient.put(port, "/v1/kv/holdfast-servers/ready", "yes");
      } catch (IOException e) {
        if (!String.valueOf(e.getMessage()).contains("answers 403")) {
          throw e;
        }
      }
    }
  }
}
