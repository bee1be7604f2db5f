package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.PrintableText;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.HandleSource;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast renew}: renews an acquired lock; its ttl starts again. */
final class RenewCommand implements Command {

  @Override
  public Syntax syntax() {
    return ProofKeys.option(HandleSource.syntax("renew"));
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    LeaseHandle handle = HandleSource.read(arguments, console);
    ProofKeys keys = ProofKeys.read(arguments, console);
    String proof;
    try (Holdfast locks = StoreChoice.connect(arguments, console)) {
      Lease lease = locks.attach(handle); // renews it; throws if it is lost
      proof = keys.text(lease.proof());
      lease.detach();
    }
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", handle.lockName());
      json.put("token", Long.toString(handle.token()));
      json.put("ttlMillis", handle.ttl().toMillis());
      json.put("proof", proof);
      console.out().println(Json.of(json));
    } else {
      console
          .out()
          .println(
              "'"
                  + PrintableText.escape(handle.lockName())
                  + "' (token "
                  + handle.token()
                  + ") is yours for another "
                  + Durations.format(handle.ttl()));
    }
    return ExitCodes.OK;
  }
}
