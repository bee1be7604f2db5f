package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.spi.support.PrintableText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast renew}: makes the ttl of an acquired lock start anew. */
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
