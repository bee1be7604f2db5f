package dev.holdfast.cli.command;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Leadership;
import dev.holdfast.LockName;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.HoldOptions;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.lock.Acquisition;
import dev.holdfast.cli.lock.HeldLease;
import dev.holdfast.cli.lock.LockRequest;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.run.Child;
import dev.holdfast.cli.run.Executable;
import dev.holdfast.cli.run.Supervisor;
import dev.holdfast.cli.run.Watchdog;
import dev.holdfast.cli.signal.StopRequests;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast elect NAME -- COMMAND}: runs a command while leading, and again after each
 * re-election, until it ends by itself. Once the store has answered, its silence ends nothing: we
 * stand again until it answers.
 */
final class ElectCommand implements Command {

  private static final Duration RETRY = Duration.ofSeconds(1);

  @Override
  public Syntax syntax() {
    return ProofKeys.option(Syntax.withCommand("elect", "NAME").store())
        .value("--ttl")
        .value("--value")
        .value("--label")
        .value("--pass-env");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws Exception {
    String name = LockName.check(arguments.operand());
    LockOptions options = HoldOptions.of(arguments, LockOptions.defaults());
    String given = arguments.value("--value");
    String value = given == null ? "" : given;
    List<String> command = arguments.command();
    Executable.check(command.get(0), console.env("PATH"));
    ProofKeys keys = ProofKeys.read(arguments, console);
    Child child = new Child(console.env("PATH"), arguments.value("--pass-env"));
    try (Holdfast locks = RunCommand.connect(arguments, console)) {
      Election election = locks.election(name, options);
      LockRequest<Leadership> lead =
          new LockRequest<>(List.of(name), wait -> election.campaignAsync(value), HeldLease::of);
      election.leader(); // fails now, not on each attempt, if the store cannot be used
      StopRequests stopRequests = StopRequests.listen();
      while (true) {
        try (Watchdog watchdog = new Watchdog(RunCommand.grace(options), console.env("PATH"))) {
          Leadership leading =
              await(new Acquisition<>(locks, lead, null, console), stopRequests.first(), console);
          if (leading == null) {
            return ExitCodes.ofSignal(stopRequests.first().join());
          }
          try (leading) {
            Supervisor supervisor =
                new Supervisor(
                    HeldLease.of(leading), options.ttl(), watchdog, stopRequests, keys, console);
            int code = supervisor.run(child, command);
            stopRequests.takeBack();
            // A command that may not have been stopped still runs: there must not be a second one.
            if (!supervisor.isStoppedForLoss() || supervisor.isAskedToStop()) {
              return code;
            }
          }
        }
        console.say("campaigning for '" + name + "' again");
      }
    }
  }

  /** Null if asked to give up. */
  private static @Nullable Leadership await(
      Acquisition<Leadership> lead, CompletableFuture<?> giveUp, Console console)
      throws InterruptedException {
    boolean told = false;
    while (true) {
      try {
        return lead.await(giveUp);
      } catch (StoreException e) {
        if (!told) { // once, not with every poll
          console.say("the store does not answer; campaigning again until it does", e);
        }
        told = true;
      }
      try {
        giveUp.get(RETRY.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException again) {
        // Not asked to stop: try again.
      }
    }
  }
}
