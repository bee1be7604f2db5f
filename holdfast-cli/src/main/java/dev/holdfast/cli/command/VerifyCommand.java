package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.PrintableText;
import dev.holdfast.Proof;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.LockJson;
import dev.holdfast.cli.output.LockText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast verify PROOF}: asks the store whether the owner of a proof holds its lock now.
 */
final class VerifyCommand implements Command {

  @Override
  public Syntax syntax() {
    return ProofKeys.option(Syntax.one("verify", "PROOF").store()).flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    Proof proof = parse(arguments.operand());
    boolean trusted = ProofKeys.read(arguments, console).trusts(proof);
    boolean valid;
    LockInfo now;
    try (Holdfast locks = StoreChoice.connect(arguments, console)) {
      valid = trusted && locks.verify(proof);
      now = locks.inspect(proof.lock());
    }
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", proof.lock());
      json.put("token", Long.toString(proof.token()));
      json.put("valid", valid);
      json.put("holders", LockJson.claims(now.holders()));
      console.out().println(Json.of(json));
    } else if (!trusted) {
      console
          .out()
          .println(
              PrintableText.escape(
                  "the proof of a lease on '"
                      + proof.lock()
                      + "' is not signed with a known key, or was altered"));
    } else {
      String sender = proof.owner().describe() + ", token " + proof.token();
      String what =
          valid
              ? "'" + proof.lock() + "' is held by " + sender
              : "'"
                  + proof.lock()
                  + "' is not held by "
                  + sender
                  + "; it is "
                  + LockText.holders(now);
      console.out().println(PrintableText.escape(what));
    }
    return valid ? ExitCodes.OK : ExitCodes.NO;
  }

  private static Proof parse(String text) {
    try {
      return Proof.parse(text);
    } catch (IllegalArgumentException e) {
      throw new CliException(
          ExitCodes.USAGE,
          "that is not a valid proof; run gives one to its command as HOLDFAST_PROOF, and acquire"
              + " --json"
              + " prints one",
          e);
    }
  }
}
