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
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another process that runs a class of this JVM's class path, so that a test can really pause and
 * kill it. The two talk in lines. Not thread-safe.
 */
public final class JavaProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String END = "(its output has ended)";

  private final String name;
  private final Process process;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

  // Mutable state
  private final List<String> seen = new ArrayList<>();

  private JavaProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    Thread reader = new Thread(this::read, name + "-output");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a program.
   *
   * @param environment where secrets and URLs belong, because process arguments can be read by
   *     everybody
   */
  public static JavaProcess start(
      Class<?> program, Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-XX:+UseSerialGC");
    command.add("-Xshare:auto");
    command.add("-Dfile.encoding=UTF-8");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true);
    try {
      return new JavaProcess(program.getSimpleName(), builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start another JVM", e);
    }
  }

  /** Its process id, as owners show it. */
  public long pid() {
    return process.pid();
  }

  /** Waits until it says a line that starts like this, and returns that line. */
  public String await(String start) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (true) {
        String line = output.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (line == null || line.equals(END)) {
          throw new AssertionError(name + " never said '" + start + "' but: " + seen);
        }
        seen.add(line);
        if (line.startsWith(start)) {
          return line;
        }
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Sends it a line; one that is paused finds it when it goes on. */
  public void say(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(name + " has ended: " + seen, e);
    }
  }

  /** Stops it in its tracks, as a long garbage collection or a moving hypervisor does. */
  public void pause() {
    signal("STOP");
  }

  /** Lets it go on after {@link #pause}. */
  public void resume() {
    signal("CONT");
  }

  /** Asks it to end, as {@code kill} does, and waits until it has. */
  public void terminate() {
    signal("TERM");
    awaitEnd();
  }

  /** Kills it as {@code kill -9} does, and waits until it is dead. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Waits until it has ended, and returns its exit status. */
  public int awaitEnd() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(name + " does not end; it said: " + seen);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    kill();
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", "-s", signal, Long.toString(pid())).start();
      if (kill.waitFor() != 0) {
        throw new AssertionError(name + " cannot be sent " + signal + "; it said: " + seen);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send " + signal, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
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

  private AssertionError interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new AssertionError("interrupted while waiting for " + name, cause);
  }
}
