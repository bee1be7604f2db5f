package dev.holdfast.servers.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Runs other programs. */
public final class Commands {

  private static final long PATIENCE_SECONDS = 120;

  // A server dies with the thread that started it, so this thread must live as long as the JVM.
  private static final ExecutorService STARTER =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "server-starter");
            thread.setDaemon(true);
            return thread;
          });

  private Commands() {}

  /** Runs a command to its end. Its output is in the exception if it fails. */
  public static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException(command + " failed: " + output.strip());
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + command, e);
    }
  }

  /** Starts a server that is killed by the system when this JVM ends, however it ends. */
  public static Process start(List<String> command, boolean refusesRoot, Path folder, Path log) {
    // In this order: entering a namespace clears the signal that is sent when the parent dies.
    List<String> dying = dyingWithUs(command);
    ProcessBuilder builder =
        new ProcessBuilder(refusesRoot ? notAsRoot(dying) : dying)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      return STARTER.submit(builder::start).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while starting " + command, e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot start " + command, e.getCause());
    }
  }

  /** Sends a signal; processes that have ended are skipped. */
  public static void signal(String name, LongStream pids) {
    String all = pids.mapToObj(Long::toString).collect(Collectors.joining(" "));
    run(List.of("sh", "-c", "for pid in " + all + "; do kill -" + name + " $pid; done; true"));
  }

  /**
   * Pauses processes, and waits until all their threads have stopped: on a busy machine the signal
   * may take a while, and a thread that still runs may answer.
   */
  public static void pause(LongStream pids) {
    String all = pids.mapToObj(Long::toString).collect(Collectors.joining(" "));
    String running = "grep -qsv ') [TtXZ] ' /proc/$pid/task/*/stat";
    run(
        List.of(
            "sh",
            "-c",
            "for pid in "
                + all
                + "; do kill -STOP $pid; tries=0; while [ $tries -lt 500 ] && "
                + running
                + "; do sleep 0.02; tries=$((tries + 1)); done; done; true"));
  }

  /**
   * The command, run as another user than root. In its own user namespace the process is not root
   * to itself, yet owns our files, so their owner need not change.
   */
  public static List<String> notAsRoot(List<String> command) {
    return isRoot() ? prefixed(List.of("unshare", "--user"), command) : command;
  }

  public static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot find out the current user", e);
    }
  }

  private static List<String> dyingWithUs(List<String> command) {
    return Programs.find("setpriv").isPresent()
        ? prefixed(List.of("setpriv", "--pdeathsig", "KILL"), command)
        : command;
  }

  private static List<String> prefixed(List<String> prefix, List<String> command) {
    List<String> whole = new ArrayList<>(prefix);
    whole.addAll(command);
    return whole;
  }
}
