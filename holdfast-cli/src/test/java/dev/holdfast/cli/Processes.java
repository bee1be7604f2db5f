package dev.holdfast.cli;

import dev.holdfast.cli.run.RunMarker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;

/** Looks at processes, and sends them signals. */
public final class Processes {

  private Processes() {}

  public static void signal(String name, long pid) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("sh", "-c", "kill -s " + name + " " + pid).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException("kill -s " + name + " " + pid + " failed");
    }
  }

  /** Returns whether it can still act: one that has ended but was not yet waited for cannot. */
  public static boolean isActive(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      char state = stat.charAt(stat.lastIndexOf(')') + 2);
      return state != 'Z' && state != 'X';
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      return false; // it ended while it was read
    }
  }

  /** Returns whether the process ignores the signal of this number. */
  public static boolean isIgnoring(long pid, int signal) {
    Path status = Path.of("/proc/" + pid + "/status");
    for (String line : Files.exists(status) ? CliProcess.read(status).split("\n") : new String[0]) {
      if (line.startsWith("SigIgn:")) {
        return (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> (signal - 1) & 1) == 1;
      }
    }
    return false;
  }

  /** The child of a process whose command line holds this word; 0 if there is none. */
  public static long childOf(long parent, String word) {
    return ProcessHandle.of(parent).stream()
        .flatMap(ProcessHandle::children)
        .filter(child -> commandLine(child.pid()).contains(word))
        .mapToLong(ProcessHandle::pid)
        .findFirst()
        .orElse(0);
  }

  /** The processes that have a marker in their environment and can still act. */
  public static List<Long> marked(RunMarker marker) {
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> read(pid, "environ").contains(marker.toString()) && isActive(pid))
        .toList();
  }

  private static String commandLine(long pid) {
    return read(pid, "cmdline");
  }

  private static String read(long pid, String file) {
    try {
      return new String(
          Files.readAllBytes(Path.of("/proc/" + pid, file)), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has ended
    }
  }

  public static void awaitGone(long pid) {
    Awaitility.await("end of process " + pid)
        .atMost(CliProcess.PATIENCE)
        .until(() -> !isActive(pid));
  }

  /** Waits for a file that holds a process id, and reads it. */
  public static long awaitPid(Path file) {
    Awaitility.await("process id in " + file)
        .atMost(CliProcess.PATIENCE)
        .until(() -> Files.exists(file) && CliProcess.read(file).endsWith("\n"));
    return Long.parseLong(CliProcess.read(file).strip());
  }
}
