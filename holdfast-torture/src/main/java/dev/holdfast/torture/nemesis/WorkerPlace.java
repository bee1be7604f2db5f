package dev.holdfast.torture.nemesis;

import dev.holdfast.servers.program.Commands;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import dev.holdfast.torture.worker.WorkerMain;
import dev.holdfast.torture.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * One of the places where a worker runs, and its process, which is killed with this one. Not
 * thread-safe.
 */
final class WorkerPlace implements AutoCloseable {

  private static final Duration TO_BEGIN = Duration.ofMinutes(3);
  private static final long LOOK_MILLIS = 20;

  private final int number;
  private final Network network;
  private final WorkerSettings settings;
  private final Path folder;
  private final HistoryFile history;

  // Mutable state
  private int life;
  private @Nullable Process process;

  /**
   * A place without a process.
   *
   * @param settings all but the name, the URL and the seed, which differ for each process
   * @param folder for settings and logs
   */
  WorkerPlace(
      int number, Network network, WorkerSettings settings, Path folder, HistoryFile history) {
    this.number = number;
    this.network = network;
    this.settings = settings;
    this.folder = folder;
    this.history = history;
  }

  /** Its names in the history: it has two clients. */
  List<String> clients() {
    return List.of(name(), name() + WorkerMain.OTHER);
  }

  String name() {
    return "w" + number + "-" + life;
  }

  Network network() {
    return network;
  }

  /** Starts a process, and waits until it runs by the same clock as we. */
  void start() throws IOException, InterruptedException {
    life++;
    Path file = folder.resolve(name() + ".settings");
    new WorkerSettings(
            name(),
            network.url(),
            settings.history(),
            settings.ledger(),
            settings.ttl(),
            settings.until(),
            settings.seed() * 31 + 7L * number + life,
            settings.plant())
        .write(file);
    long before = System.nanoTime();
    process =
        Commands.start(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerMain.class.getName(),
                file.toString()),
            false,
            folder,
            log());
    String said =
        said(WorkerMain.CLOCK, TO_BEGIN)
            .orElseThrow(() -> new IllegalStateException(name() + " has not begun; see " + log()));
    long clock = Long.parseLong(said.substring(WorkerMain.CLOCK.length()));
    if (clock < before || clock > System.nanoTime()) {
      throw new IllegalStateException(
          "the JVMs of this machine do not share a clock: a worker that began after "
              + before
              + " reads "
              + clock);
    }
  }

  /** Waits until its clients are open, no longer than that; returns whether they are. */
  boolean isReady(Duration patience) throws IOException, InterruptedException {
    return said(WorkerMain.READY, patience).isPresent();
  }

  void pause() {
    clients().forEach(client -> history.append(client, What.PAUSED, "", ""));
    Commands.pause(LongStream.of(running().pid()));
  }

  void resume() {
    Commands.signal("CONT", LongStream.of(running().pid()));
    clients().forEach(client -> history.append(client, What.RESUMED, "", ""));
  }

  void kill() {
    Process running = running();
    Commands.signal("KILL", LongStream.of(running.pid()));
    running.onExit().join();
    clients().forEach(client -> history.append(client, What.CRASHED, "", ""));
    process = null;
  }

  /**
   * Waits until it has ended by itself.
   *
   * @return what is wrong with how it ended, if anything is
   */
  Optional<String> awaitEnd(Duration patience) throws InterruptedException {
    Process running = running();
    if (!running.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      Commands.signal("QUIT", LongStream.of(running.pid())); // its threads go to its log
      TimeUnit.SECONDS.sleep(2);
      kill();
      return Optional.of(name() + " has not ended within " + patience + "; see " + log());
    }
    return running.exitValue() == 0
        ? Optional.empty()
        : Optional.of(name() + " ended with " + running.exitValue() + "; see " + log());
  }

  @Override
  public void close() {
    if (process != null && process.isAlive()) {
      kill();
    }
    network.close();
  }

  private Path log() {
    return folder.resolve(name() + ".log");
  }

  /** Waits until it has said a line that starts like this; empty if it does not, or ends. */
  private Optional<String> said(String beginning, Duration patience)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    Optional<String> line = Optional.empty();
    while (line.isEmpty() && running().isAlive() && System.nanoTime() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      line =
          Files.readAllLines(log()).stream().filter(text -> text.startsWith(beginning)).findFirst();
    }
    return line;
  }

  private Process running() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException(name() + " does not run");
    }
    return running;
  }
}
