package dev.holdfast.cli;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.LockName;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code holdfast run NAME -- COMMAND}: runs a command while holding a lock. */
final class RunCommand implements Command {

  private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);
  private static final Duration OVERHEAD = Duration.ofMillis(250);

  @Override
  public Syntax syntax() {
    return Syntax.withCommand("run", "NAME")
        .value("--store")
        .value("--ttl")
        .value("--wait")
        .flag("--no-wait", "-n")
        .value("--max-hold")
        .value("--min-hold")
        .value("--label");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws Exception {
    String name = LockName.check(arguments.operand());
    LockOptions options = options(arguments);
    Duration wait = wait(arguments);
    List<String> command = arguments.command();
    Executable.check(command.get(0), console.env("PATH"));
    Child child = new Child(console.env("PATH"));
    try (Holdfast locks = connect(arguments, console)) {
      DistributedLock lock = locks.lock(name, options);
      // Until here a signal simply ends us: there is nothing yet to give back.
      StopRequests stopRequests = StopRequests.listen();
      try (Watchdog watchdog = new Watchdog(grace(options), console.env("PATH"))) {
        Lease lease = new Acquisition(locks, lock, wait, console).await(stopRequests.first());
        if (lease == null) {
          return ExitCodes.ofSignal(stopRequests.first().join());
        }
        try (lease) {
          return new Supervisor(lease, options.ttl(), watchdog, stopRequests, console)
              .run(child, command);
        }
      }
    }
  }

  private static LockOptions options(Arguments arguments) {
    LockOptions options = LockOptions.defaults();
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

  /** How long to wait: null without limit, zero not at all. */
  private static @Nullable Duration wait(Arguments arguments) {
    String wait = arguments.value("--wait");
    if (arguments.has("--no-wait")) {
      if (wait != null) {
        throw CliException.usage("--wait and --no-wait contradict each other; give one of them");
      }
      return Duration.ZERO;
    }
    return wait == null ? null : Durations.parse("--wait", wait);
  }

  /**
   * How long the command has between TERM and KILL. The lease ends a margin before the store lets
   * the next one in: a part of it is for a busy machine, and half of the rest for clocks.
   */
  static Duration grace(LockOptions options) {
    Duration half = options.ttl().minus(options.validFor()).minus(OVERHEAD).dividedBy(2);
    Duration most = half.compareTo(LONGEST_GRACE) < 0 ? half : LONGEST_GRACE;
    return most.isNegative() ? Duration.ZERO : most;
  }

  private static Holdfast connect(Arguments arguments, Console console) {
    String command = arguments.command().get(0);
    // What others see when they wait for us, unless there is a label.
    String clientName = command.substring(command.lastIndexOf('/') + 1);
    clientName = clientName.substring(0, Math.min(clientName.length(), 128)); // as long as a label
    Holdfast locks =
        StoreChoice.builder(arguments, console)
            .clientName(clientName)
            .listener(tell(console))
            .build();
    if (!locks.traits().spansProcesses()) {
      console.say("this store excludes nobody outside this process; choose another with --store");
    }
    return locks;
  }

  private static HoldfastListener tell(Console console) {
    return new HoldfastListener() {
      @Override
      public void jeopardy(String lock, long token, Duration remaining) {
        console.say(
            "the renewal of '"
                + lock
                + "' is overdue; without an answer from the store the command is stopped in "
                + Durations.format(remaining));
      }
    };
  }
}
