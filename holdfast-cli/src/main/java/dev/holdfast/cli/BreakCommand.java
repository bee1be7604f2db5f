package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.spi.LockName;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast break NAME}: takes a lock away from its holder. */
final class BreakCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.one("break", "NAME").store().flag("--yes", "-y").flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws IOException {
    String name = LockName.check(arguments.operand());
    if (!arguments.has("--yes") && !console.isTerminal(0)) {
      throw CliException.usage(
          "break asks before it acts, and nobody can answer here; add --yes if you are sure");
    }
    LockInfo before;
    boolean broken = false;
    try (Holdfast client = StoreChoice.connect(arguments, console)) {
      before = client.inspect(name);
      if (before.isHeld()) {
        if (!arguments.has("--yes") && !confirmed(before, console)) {
          console.say("'" + name + "' is left alone");
          return ExitCodes.NO;
        }
        broken = client.breakLock(name);
      }
    }
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", name);
      json.put("broken", broken);
      json.put("holders", LockJson.claims(before.holders()));
      console.out().println(Json.of(json));
    } else {
      String what =
          broken
              ? "'" + name + "' was " + Holders.describe(before) + ", and is taken away"
              : "'" + name + "' is not held; there is nothing to break";
      console.out().println(Text.printable(what));
    }
    return ExitCodes.OK;
  }

  private static boolean confirmed(LockInfo lock, Console console) throws IOException {
    console.say("'" + lock.name() + "' is " + Holders.describe(lock));
    console.say("its holder learns of the loss at its next renewal, and may work on until then");
    String answer = console.ask("Take the lock away? [y/N]").toLowerCase(Locale.ROOT);
    return answer.equals("y") || answer.equals("yes");
  }
}
