package dev.holdfast.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another process that takes a lock: a {@link LockTaker} on the class path of this JVM, so it knows
 * the same stores. Not thread-safe.
 */
public final class LockTakerProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String END = "(its output has ended)";

  private final Process process;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

  // Mutable state
  private final List<String> seen = new ArrayList<>();

  private LockTakerProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "locktaker-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts a process that acquires this lock at this store, waiting as long as it takes. */
  public static LockTakerProcess start(String url, String lock, Duration ttl) {
    return start(url, LockTaker.class, List.of(lock, Long.toString(ttl.toMillis())));
  }

  static LockTakerProcess start(String url, Class<?> program, List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Dfile.encoding=UTF-8",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put(LockTaker.STORE, url);
    builder.redirectErrorStream(true);
    try {
      return new LockTakerProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start another JVM", e);
    }
  }

  /** Its process id, as owners show it. */
  public long pid() {
    return process.pid();
  }

  /** Waits until it is about to acquire. It may take a moment more until the store knows. */
  public void awaitWaiting() {
    await("waiting");
  }

  /** Waits until it holds the lock, and returns its token. */
  public long awaitToken() {
    return Long.parseLong(await("token ").substring("token ".length()));
  }

  /** Waits until it has done what it was started for. */
  public void awaitDone() {
    await("done");
  }

  /** Kills it as {@code kill -9} does, and waits until it is dead. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Tells it to release the lock, and waits until it has ended. */
  public void release() {
    try {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the lock taker has ended: " + seen, e);
    }
    awaitEnd();
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    kill();
  }

  private String await(String start) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (true) {
        String line = output.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (line == null || line.equals(END)) {
          throw new AssertionError("the lock taker never said '" + start + "' but: " + seen);
        }
        seen.add(line);
        if (line.startsWith(start)) {
          return line;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the lock taker", e);
    }
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("the lock taker does not end; it said: " + seen);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the lock taker", e);
    }
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        output.add(line);
      }
    } catch (IOException killed) {
      // The pipe breaks when the process is killed: that is an end, too.
    }
    output.add(END);
  }
}
