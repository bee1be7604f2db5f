package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LockEvent.Type;
import dev.holdfast.LockOptions;
import dev.holdfast.PrintableText;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.HoldOptions;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.lock.Acquisition;
import dev.holdfast.cli.lock.HeldLease;
import dev.holdfast.cli.lock.LockRequest;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.run.Child;
import dev.holdfast.cli.run.Executable;
import dev.holdfast.cli.run.Supervisor;
import dev.holdfast.cli.run.Watchdog;
import dev.holdfast.cli.signal.StopRequests;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code holdfast run NAME -- COMMAND}: runs a command while holding a lock. */
public final class RunCommand implements Command {

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
      LockRequest<?> request = LockRequest.of(arguments, locks, options);
      // Until here a signal simply ends the process: it holds nothing yet.
      StopRequests stopRequests = StopRequests.listen();
      try (Watchdog watchdog = new Watchdog(grace(options), console.env("PATH"))) {
        HeldLease held = hold(locks, request, wait, console, stopRequests);
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

  /** Null if asked to give up. */
  private static <T> @Nullable HeldLease hold(
      Holdfast locks,
      LockRequest<T> request,
      @Nullable Duration wait,
      Console console,
      StopRequests stopRequests)
      throws InterruptedException {
    T granted = new Acquisition<>(locks, request, wait, console).await(stopRequests.first());
    return granted == null ? null : request.held().apply(granted);
  }

  /**
   * How long the command has between TERM and KILL. The lease ends a margin before the store can
   * grant the next claim: a part of it is for a busy machine, and half of the rest for clocks.
   */
  static Duration grace(LockOptions options) {
    Duration half = options.ttl().minus(options.validFor()).minus(OVERHEAD).dividedBy(2);
    Duration most = half.compareTo(LONGEST_GRACE) < 0 ? half : LONGEST_GRACE;
    return most.isNegative() ? Duration.ZERO : most;
  }

  /** A client that is named after the command. */
  static Holdfast connect(Arguments arguments, Console console) {
    String command = arguments.command().get(0);
    // Shown to those who wait for this lock, unless there is a label.
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
      console.say(
          "this store works within one process, so the lock excludes no other command; choose"
              + " another with --store");
    }
    return locks;
  }

  private static HoldfastListener tell(Console console) {
    return event -> {
      if (event.type() == Type.JEOPARDY) {
        console.say(
            "the renewal of '"
                + event.lock()
                + "' is overdue; without an answer from the store the command will be stopped in "
                + Durations.format(event.duration()));
      }
    };
  }
}
