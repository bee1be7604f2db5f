package dev.holdfast.cli.arguments;

import dev.holdfast.LockOptions;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The options of {@code run} and {@code acquire} for acquiring and holding a lock. */
public final class HoldOptions {

  private HoldOptions() {}

  /**
   * Reads those that the command has.
   *
   * @param defaults where an option is not given
   */
  public static LockOptions of(Arguments arguments, LockOptions defaults) {
    LockOptions options = defaults;
    String ttl = arguments.value("--ttl");
    if (ttl != null) {
      // A shorter one would end before a command and its watchdog have started on a busy machine.
      options = options.ttl(Durations.parseSeconds("--ttl", ttl));
    }
    String maxHold = arguments.value("--max-hold");
    if (maxHold != null) {
      Duration longest = Durations.parseSeconds("--max-hold", maxHold);
      options = options.maxHold(longest);
      if (longest.compareTo(options.ttl()) < 0) {
        throw CliException.usage(
            "--max-hold "
                + maxHold
                + " is shorter than the ttl of "
                + Durations.format(options.ttl())
                + "; give a shorter --ttl too");
      }
    }
    String minHold = arguments.value("--min-hold");
    if (minHold != null) {
      options = options.minHold(Durations.parse("--min-hold", minHold));
    }
    String label = arguments.value("--label");
    options = label == null ? options : options.label(label);
    options.check();
    return options;
  }

  /** How long to wait for the lock: null without limit, zero not at all. */
  public static @Nullable Duration wait(Arguments arguments) {
    String wait = arguments.value("--wait");
    if (arguments.has("--no-wait")) {
      if (wait != null) {
        throw CliException.usage("--wait and --no-wait contradict each other; give one of them");
      }
      return Duration.ZERO;
    }
    return wait == null ? null : Durations.parse("--wait", wait);
  }
}
