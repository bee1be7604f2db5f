package dev.holdfast.servers;

import dev.holdfast.servers.client.Await;
import dev.holdfast.servers.client.RespClient;
import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.process.ShiftedClock;
import dev.holdfast.servers.program.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A Redis server, or Valkey, which does as Redis does. Keeps nothing on disk by default. */
public final class RedisServer extends ServerNode {

  static final String REDIS = "redis-server";
  private static final String VALKEY = "valkey-server";

  private static final Pattern REPLICA_OFFSET =
      Pattern.compile("^slave\\d+:.*\\boffset=(\\d+)", Pattern.MULTILINE);

  private final String url;

  RedisServer(ServerProcess process) {
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

  /** The same, of Valkey. */
  public static RedisServer startValkey(String... settings) {
    return new RedisServer(ServerProcess.start(new Redis(VALKEY, false, List.of(settings))));
  }

  /** A server of one's own, whose clock can be {@linkplain #shiftClock set ahead or back}. */
  public static RedisServer startWithClock(String... settings) {
    Redis redis = new Redis(REDIS, false, List.of(settings));
    return new RedisServer(ServerProcess.start(new ShiftedClock(redis)));
  }

  /** This many independent servers. */
  public static List<RedisServer> startIndependent(int count, String... settings) {
    return IntStream.range(0, count).mapToObj(number -> start(settings)).toList();
  }

  static RedisServer startSentinel(List<String> settings) {
    return new RedisServer(ServerProcess.start(new Redis(REDIS, true, settings)));
  }

  /** Its URL; without user and password if it is our own. */
  public String url() {
    return url;
  }

  /**
   * Sends a command to a server that we started, without a user or password.
   *
   * @return a String, a Long, a List of these, or null
   * @throws UncheckedIOException if there is no answer, or the answer is an error
   */
  public @Nullable Object command(String... words) {
    try {
      return RespClient.ask(port(), List.of(words));
    } catch (IOException e) {
      throw new UncheckedIOException(this + " to " + words[0] + ": " + e.getMessage(), e);
    }
  }

  /**
   * Makes the wall clock of a server that was started with a shiftable clock differ by this from
   * the machine's, from now on.
   */
  public void shiftClock(Duration by) {
    try {
      ShiftedClock.shift(data(), by);
    } catch (IOException e) {
      throw new UncheckedIOException(this + " was not started with a shiftable clock", e);
    }
  }

  /** A field of {@code INFO}, or empty. */
  public String info(String section, String field) {
    return String.valueOf(command("INFO", section))
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .map(line -> line.substring(field.length() + 1).strip())
        .findFirst()
        .orElse("");
  }

  /**
   * Waits until this many replicas have what this master has now. Not by {@code WAIT}, which covers
   * only the writes of its connection, and each command here opens a new one.
   */
  public void awaitReplicas(int count) {
    long written = Long.parseLong(info("replication", "master_repl_offset"));
    Await.until(
        count + " replicas have what " + this + " has",
        () ->
            REPLICA_OFFSET
                    .matcher(String.valueOf(command("INFO", "replication")))
                    .results()
                    .filter(replica -> Long.parseLong(replica.group(1)) >= written)
                    .count()
                >= count);
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
          lines.add("repl-diskless-sync-delay 0"); // else a replica waits five seconds for others
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
        RespClient.ask(port, List.of("PING"));
      } catch (IOException e) {
        // It asks for a password or a certificate: so it is there.
        if (!String.valueOf(e.getMessage()).startsWith("NOAUTH")) {
          throw e;
        }
      }
    }
  }
}
