package dev.holdfast.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What this process has spent, with all its threads.
 *
 * @param processorMicros processor time
 * @param bytes of heap that its threads have allocated
 * @param sleeps how often a thread gave up the processor because it had to wait; known on Linux
 */
public record ClientCost(double processorMicros, double bytes, double sleeps) {

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final Path TASKS = Path.of("/proc/self/task");
  private static final String SLEEPS = "voluntary_ctxt_switches:";

  /** Since its start; without threads that have ended. */
  static ClientCost now() throws IOException {
    long[] allocated = THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds());
    double bytes = Arrays.stream(allocated).filter(each -> each > 0).sum();
    return new ClientCost(SYSTEM.getProcessCpuTime() / 1e3, bytes, allSleeps());
  }

  ClientCost since(ClientCost earlier) {
    return new ClientCost(
        processorMicros - earlier.processorMicros, bytes - earlier.bytes, sleeps - earlier.sleeps);
  }

  /** For each of this many acquisitions. */
  ClientCost each(long count) {
    return new ClientCost(processorMicros / count, bytes / count, sleeps / count);
  }

  private static double allSleeps() throws IOException {
    if (!Files.isDirectory(TASKS)) {
      return 0;
    }
    double sum = 0;
    try (Stream<Path> tasks = Files.list(TASKS)) {
      for (Path task : tasks.toList()) {
        sum += sleeps(task);
      }
    }
    return sum;
  }

  private static double sleeps(Path task) throws IOException {
    try {
      List<String> status = Files.readAllLines(task.resolve("status"));
      return status.stream()
          .filter(line -> line.startsWith(SLEEPS))
          .mapToDouble(line -> Double.parseDouble(line.substring(SLEEPS.length())))
          .sum();
    } catch (NoSuchFileException ended) {
      return 0;
    }
  }
}
