package dev.holdfast.cli;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.LockName;
import java.util.List;

/**
 * {@code holdfast elect NAME -- COMMAND}: runs a command while leading, and again after each
 * re-election, until it ends by itself.
 */
final class ElectCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.withCommand("elect", "NAME")
        .store()
        .value("--ttl")
        .value("--value")
        .value("--label");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws Exception {
    String name = LockName.check(arguments.operand());
    LockOptions options = HoldOptions.of(arguments, LockOptions.defaults());
    String given = arguments.value("--value");
    String value = given == null ? "" : given;
    List<String> command = arguments.command();
    Executable.check(command.get(0), console.env("PATH"));
    Child child = new Child(console.env("PATH"));
    try (Holdfast locks = RunCommand.connect(arguments, console)) {
      Election election = locks.election(name, options);
      Wanted lead = new Wanted(List.of(name), wait -> election.campaignAsync(value));
      StopRequests stopRequests = StopRequests.listen();
      while (true) {
        try (Watchdog watchdog = new Watchdog(RunCommand.grace(options), console.env("PATH"))) {
          Lease lease = new Acquisition(locks, lead, null, console).await(stopRequests.first());
          if (lease == null) {
            return ExitCodes.ofSignal(stopRequests.first().join());
          }
          try (lease) {
            Supervisor supervisor =
                new Supervisor(lease, options.ttl(), watchdog, stopRequests, console);
            int code = supervisor.run(child, command);
            boolean lost = code == ExitCodes.LOST && !lease.isValid();
            // A command that could not be stopped still runs: there must not be a second one.
            if (!lost || supervisor.isAskedToStop() || watchdog.hasGivenUp()) {
              return code;
            }
          }
        }
        stopRequests.takeBack();
        console.say("standing for '" + name + "' again");
      }
    }
  }
}
