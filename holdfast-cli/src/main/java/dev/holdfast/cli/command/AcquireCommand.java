package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockName;
import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.HoldOptions;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.lock.Acquisition;
import dev.holdfast.cli.lock.LockRequest;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.signal.StopRequests;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast acquire NAME}: acquires a lock for a script that holds it over several commands,
 * and prints the handle that renews and releases it. The lock is not renewed in between.
 */
final class AcquireCommand implements Command {

  /** Longer than for run, which renews on its own. */
  private static final Duration TTL = Duration.ofMinutes(5);

  @Override
  public Syntax syntax() {
    return ProofKeys.option(Syntax.one("acquire", "NAME").store())
        .value("--ttl")
        .value("--wait")
        .flag("--no-wait", "-n")
        .value("--label")
        .flag("--export")
        .flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws Exception {
    String name = LockName.check(arguments.operand());
    LockOptions options = HoldOptions.of(arguments, LockOptions.defaults().ttl(TTL));
    Duration wait = HoldOptions.wait(arguments);
    if (arguments.has("--export") && arguments.has("--json")) {
      throw CliException.usage("--export and --json contradict each other; give one of them");
    }
    ProofKeys keys = ProofKeys.read(arguments, console);
    StoreChoice store = StoreChoice.of(arguments, console);
    try (Holdfast locks = store.builder().clientName("holdfast acquire").build()) {
      refuseUnlessDetachable(locks.traits(), store);
      StopRequests stopRequests = StopRequests.listen();
      Lease lease =
          new Acquisition<>(locks, LockRequest.lock(locks.lock(name, options)), wait, console)
              .await(stopRequests.first());
      if (lease == null) {
        return ExitCodes.ofSignal(stopRequests.first().join());
      }
      String proof = keys.text(lease.proof());
      LeaseHandle handle = lease.detach();
      print(handle, proof, arguments, console);
      if (console.out().checkError() || stopRequests.first().isDone()) {
        // The handle reached nobody, so only this process can release the lock.
        locks.attach(handle).release();
        console.say("the handle could not be printed, so '" + name + "' was released");
        return ExitCodes.INTERNAL;
      }
    }
    return ExitCodes.OK;
  }

  private static void refuseUnlessDetachable(Traits traits, StoreChoice store) {
    if (!traits.spansProcesses() || !traits.detachable()) {
      throw CliException.usage(
          store.redacted()
              + " ties a lock to the process that acquired it, so no later command could hold it;"
              + " use holdfast run, or another store");
    }
  }

  private static void print(
      LeaseHandle handle, String proof, Arguments arguments, Console console) {
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", handle.lockName());
      json.put("token", Long.toString(handle.token()));
      json.put("ttlMillis", handle.ttl().toMillis());
      json.put("proof", proof);
      json.put("handle", handle.secret());
      console.out().println(Json.of(json));
    } else if (arguments.has("--export")) {
      export(console, "HOLDFAST_LOCK", handle.lockName());
      export(console, "HOLDFAST_TOKEN", Long.toString(handle.token()));
      export(console, "HOLDFAST_OWNER", handle.owner().encode());
      export(console, "HOLDFAST_PROOF", proof);
      export(console, "HOLDFAST_HANDLE", handle.secret());
    } else {
      console.out().println(handle.secret());
    }
  }

  private static void export(Console console, String variable, String value) {
    console.out().println("export " + variable + "='" + value.replace("'", "'\\''") + "'");
  }
}
