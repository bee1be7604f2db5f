package dev.holdfast.bench.workload;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this process has asked of the machine's processors. */
final class Processor {

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private Processor() {}

  /** Since its start. */
  static double micros() {
    return SYSTEM.getProcessCpuTime() / 1e3;
  }
}
