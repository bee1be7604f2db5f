package dev.holdfast.servers.process;

import dev.holdfast.servers.program.Commands;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server that runs as a separate process, on a free port of the loopback interface, with its data
 * in a temporary folder. It can be paused, killed and restarted on the same port and data, and is
 * gone when the JVM is: ended by a shutdown hook, or by the system if the JVM is killed.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class ServerProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PORTS_TO_TRY = 3;
  private static final int LINES_OF_LOG = 30;

  private static final Set<ServerProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ServerProcess::closeAll, "server-stopper"));
  }

  private final Recipe recipe;
  private final ServerFolder folder;
  private final Path data;
  private final Path log;

  // Mutable state
  private volatile int port;
  private volatile @Nullable Process process;

  private ServerProcess(Recipe recipe, int port) {
    this.recipe = recipe;
    this.port = port;
    this.folder = ServerFolder.create(recipe.name(), recipe.keepsLittle());
    this.data = folder.path().resolve("data");
    this.log = folder.path().resolve("log");
  }

  /** Starts a server on any free port and waits until it answers. */
  public static ServerProcess start(Recipe recipe) {
    return started(recipe, Ports.free(), PORTS_TO_TRY);
  }

  /** The same on a port that others already know. */
  public static ServerProcess start(Recipe recipe, int port) {
    return started(recipe, port, 1);
  }

  private static ServerProcess started(Recipe recipe, int port, int portsToTry) {
    ServerProcess server = new ServerProcess(recipe, port);
    RUNNING.add(server);
    try {
      Files.createDirectory(server.data);
      recipe.prepare(server.data);
      for (int left = portsToTry - 1; !server.launch(); left--) {
        if (left == 0) {
          throw new IllegalStateException(server + " ended at once:\n" + server.logTail());
        }
        server.port = Ports.free();
      }
      return server;
    } catch (Exception e) {
      server.close();
      throw new IllegalStateException("cannot start " + recipe.name() + ": " + e.getMessage(), e);
    }
  }

  public int port() {
    return port;
  }

  /** The folder of the server's files. */
  public Path data() {
    return data;
  }

  /** Kills it as {@code kill -9} does, with all processes that it has started. */
  public void kill() {
    Process running = process;
    if (running == null) {
      return;
    }
    // Stopped first, so that it starts no more processes while we look for them.
    Commands.signal("STOP", LongStream.of(running.pid()));
    List<ProcessHandle> family =
        Stream.concat(running.descendants(), Stream.of(running.toHandle())).toList();
    Commands.signal("KILL", family.stream().mapToLong(ProcessHandle::pid));
    family.forEach(member -> member.onExit().join());
    process = null;
  }

  /** Stops it in its tracks: connections stay open, and nothing answers. */
  public void pause() {
    Commands.pause(LongStream.of(running().pid()));
    Commands.pause(running().descendants().mapToLong(ProcessHandle::pid));
  }

  /** Lets it go on after {@link #pause}. */
  public void resume() {
    Commands.signal("CONT", running().descendants().mapToLong(ProcessHandle::pid));
    Commands.signal("CONT", LongStream.of(running().pid()));
  }

  /** Ends it the way it likes, keeping its data for {@link #restart}. */
  public void stop() {
    Process running = process;
    if (running == null) {
      return;
    }
    resume();
    Commands.signal(recipe.stopSignal(), LongStream.of(running.pid()));
    try {
      if (running.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process = null;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }

  /** Starts it again on the same port and data, killing it first if it runs. */
  public void restart() {
    kill();
    try {
      if (!launch()) {
        throw new IllegalStateException(this + " ended at once:\n" + logTail());
      }
    } catch (Exception e) {
      throw new IllegalStateException("cannot restart " + this + ": " + e.getMessage(), e);
    }
  }

  /** Ends it and removes its data. */
  @Override
  public void close() {
    if (!RUNNING.remove(this)) {
      return;
    }
    stop();
    folder.close();
  }

  /** What the server wrote last. */
  String logTail() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join(
          "\n", lines.subList(Math.max(0, lines.size() - LINES_OF_LOG), lines.size()));
    } catch (IOException e) {
      return "(no log)";
    }
  }

  @Override
  public String toString() {
    return recipe.name() + " on port " + port;
  }

  /** Returns whether the server serves; false if it ended, as it does when its port is taken. */
  private boolean launch() throws Exception {
    Process started =
        Commands.start(recipe.command(data, port), recipe.refusesRoot(), folder.path(), log);
    process = started;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (started.isAlive()) {
      try {
        recipe.ask(port);
        return true;
      } catch (Exception notYet) {
        if (System.nanoTime() - deadline > 0) {
          kill();
          throw new IllegalStateException(
              this + " does not answer (" + notYet.getMessage() + "):\n" + logTail(), notYet);
        }
        Thread.sleep(20);
      }
    }
    process = null;
    return false;
  }

  private Process running() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException(this + " does not run");
    }
    return running;
  }

  private static void closeAll() {
    RUNNING.forEach(ServerProcess::close);
  }
}
