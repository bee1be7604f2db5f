package dev.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Redis server, or one that does as Redis does, without persistence unless it is asked for. */
public final class RedisServer extends ServerNode {

  private static final String REDIS = "redis-server";

  private final String url;

  private RedisServer(ServerProcess process) {
    super(process);
    this.url = "redis://127.0.0.1:" + process.port();
  }

  private RedisServer(String url) {
    super(null);
    this.url = url;
  }

  /** The server that the tests of this JVM share. */
  public static RedisServer shared() {
    return Shared.SERVER;
  }

  /**
   * A server of one's own.
   *
   * @param settings as in {@code redis.conf}, for example {@code appendonly yes}
   */
  public static RedisServer start(String... settings) {
    return new RedisServer(ServerProcess.start(new Redis(REDIS, false, List.of(settings))));
  }

  /** Its URL; without user and password if it is our own. */
  public String url() {
    return url;
  }

  /**
   * Sends a command to a server of our own, without a user or password.
   *
   * @return a String, a Long, a List of these, or null
   * @throws UncheckedIOException if there is no answer, or if it is an error
   */
  public @Nullable Object command(String... words) {
    try {
      return Resp.ask(port(), List.of(words));
    } catch (IOException e) {
      throw new UncheckedIOException(this + " to " + words[0] + ": " + e.getMessage(), e);
    }
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final RedisServer SERVER =
        Server.REDIS.url().map(RedisServer::new).orElseGet(RedisServer::start);
  }

  /** How Redis is started. */
  record Redis(String program, boolean sentinel, List<String> settings) implements Recipe {

    @Override
    public String name() {
      return program;
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      // In a file, because a setting may be a password. Sentinel writes what it learns into it.
      Path file = data.resolveSibling("redis.conf");
      if (!Files.exists(file) || !sentinel) {
        List<String> lines = new ArrayList<>();
        lines.add("port " + port);
        lines.add("bind 127.0.0.1");
        lines.add("dir " + data);
        if (!sentinel) {
          lines.add("save \"\"");
        }
        lines.addAll(settings);
        Files.write(file, lines);
      }
      List<String> command = new ArrayList<>();
      command.addAll(List.of(Programs.get(program).toString(), file.toString()));
      if (sentinel) {
        command.add("--sentinel");
      }
      return command;
    }

    @Override
    public void ask(int port) throws IOException {
      try {
        Resp.ask(port, List.of("PING"));
      } catch (IOException e) {
        // It asks for a password or a certificate: so it is there.
        if (!String.valueOf(e.getMessage()).startsWith("NOAUTH")) {
          throw e;
        }
      }
    }
  }
}
