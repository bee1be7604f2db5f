package dev.holdfast.cli;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Leadership;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.spi.LockName;
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
      Wanted<Leadership> lead =
          new Wanted<>(List.of(name), wait -> election.campaignAsync(value), Held::of);
      election.leader(); // a store that cannot be used is told now, not again and again
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
                    Held.of(leading), options.ttl(), watchdog, stopRequests, keys, console);
            int code = supervisor.run(child, command);
            stopRequests.takeBack();
            // A command that may not have been stopped still runs: there must not be a second one.
            if (!supervisor.isStoppedForLoss() || supervisor.isAskedToStop()) {
              return code;
            }
          }
        }
        console.say("standing for '" + name + "' again");
      }
    }
  }

  /** Null if it is to give up. */
  private static @Nullable Leadership await(
      Acquisition<Leadership> lead, CompletableFuture<?> giveUp, Console console)
      throws InterruptedException {
    boolean told = false;
    while (true) {
      try {
        return lead.await(giveUp);
      } catch (StoreException e) {
        if (!told) { // once, not every second
          console.say("the store does not answer; standing again until it does", e);
        }
        told = true;
      }
      try {
        giveUp.get(RETRY.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException again) {
        // Nobody wants us to stop.
      }
    }
  }
}
