package dev.holdfast.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The processor time that this process has used. */
final class ProcessorTime {

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private ProcessorTime() {}

  /** Since its start. */
  static double micros() {
    return SYSTEM.getProcessCpuTime() / 1e3;
  }
}
