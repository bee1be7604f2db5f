package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LockEvent.Type;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.support.PrintableText;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code holdfast run NAME -- COMMAND}: runs a command while holding a lock. */
final class RunCommand implements Command {

  private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);
  private static final Duration OVERHEAD = Duration.ofMillis(250);

  @Override
  public Syntax syntax() {
    return ProofKeys.option(Syntax.withCommand("run", "NAME").store())
        .flag("--shared")
        .flag("--exclusive")
        .value("--permits")
        .value("--of")
        .operandOr("--all")
        .value("--ttl")
        .value("--wait")
        .flag("--no-wait", "-n")
        .value("--max-hold")
        .value("--min-hold")
        .value("--label")
        .value("--pass-env");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws Exception {
    LockOptions options = HoldOptions.of(arguments, LockOptions.defaults());
    Duration wait = HoldOptions.wait(arguments);
    List<String> command = arguments.command();
    Executable.check(command.get(0), console.env("PATH"));
    ProofKeys keys = ProofKeys.read(arguments, console);
    Child child = new Child(console.env("PATH"), arguments.value("--pass-env"));
    try (Holdfast locks = connect(arguments, console)) {
      Wanted<?> wanted = Wanted.of(arguments, locks, options);
      // Until here a signal simply ends us: there is nothing yet to give back.
      StopRequests stopRequests = StopRequests.listen();
      try (Watchdog watchdog = new Watchdog(grace(options), console.env("PATH"))) {
        Held held = hold(locks, wanted, wait, console, stopRequests);
        if (held == null) {
          return ExitCodes.ofSignal(stopRequests.first().join());
        }
        try (held) {
          return new Supervisor(held, options.ttl(), watchdog, stopRequests, keys, console)
              .run(child, command);
        }
      }
    }
  }

  /** Null if it is to give up. */
  private static <T> @Nullable Held hold(
      Holdfast locks,
      Wanted<T> wanted,
      @Nullable Duration wait,
      Console console,
      StopRequests stopRequests)
      throws InterruptedException {
    T granted = new Acquisition<>(locks, wanted, wait, console).await(stopRequests.first());
    return granted == null ? null : wanted.holding().apply(granted);
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

  /** A client that is named after the command. */
  static Holdfast connect(Arguments arguments, Console console) {
    String command = arguments.command().get(0);
    // What others see when they wait for us, unless there is a label.
    String clientName = command.substring(command.lastIndexOf('/') + 1);
    clientName =
        PrintableText.shorten(PrintableText.escape(clientName), PrintableText.LONGEST_LABEL);
    Holdfast locks =
        StoreChoice.of(arguments, console)
            .builder()
            .clientName(clientName)
            .listener(tell(console))
            .build();
    if (!locks.traits().spansProcesses()) {
      console.say("this store excludes nobody outside this process; choose another with --store");
    }
    return locks;
  }

  private static HoldfastListener tell(Console console) {
    return event -> {
      if (event.type() == Type.JEOPARDY) {
        console.say(
            "the renewal of '"
                + event.lock()
                + "' is overdue; without an answer from the store the command is stopped in "
                + Durations.format(event.duration()));
      }
    };
  }
}
