package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.spi.LockName;
import dev.holdfast.spi.support.PrintableText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast break NAME}: takes a lock away from its holder; with {@code --token}, from that
 * holder only.
 */
final class BreakCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.one("break", "NAME").store().value("--token").flag("--yes", "-y").flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws IOException {
    String name = LockName.check(arguments.operand());
    if (!arguments.has("--yes") && !console.isTerminal(0)) {
      throw CliException.usage(
          "break asks before it acts, and nobody can answer here; add --yes if you are sure");
    }
    Long token = token(arguments);
    LockInfo before;
    boolean broken = false;
    try (Holdfast client = StoreChoice.connect(arguments, console)) {
      before = client.inspect(name);
      if (before.isHeld()) {
        if (!arguments.has("--yes") && !confirmed(before, token, console)) {
          console.say("'" + name + "' is left alone");
          return ExitCodes.NO;
        }
        broken = token == null ? client.breakLock(name) : client.breakLock(name, token);
      }
    }
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", name);
      json.put("broken", broken);
      json.put("holders", LockJson.claims(before.holders()));
      console.out().println(Json.of(json));
    } else {
      console.out().println(PrintableText.escape(outcome(before, token, broken)));
    }
    return broken || token == null ? ExitCodes.OK : ExitCodes.NO;
  }

  /** Null if whoever holds the lock is meant. */
  private static @Nullable Long token(Arguments arguments) {
    String text = arguments.value("--token");
    if (text == null) {
      return null;
    }
    try {
      long token = Long.parseLong(text);
      if (token > 0) {
        return token;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw CliException.usage(
        "--token '" + text + "' is not a token; holdfast show prints that of each holder");
  }

  private static String outcome(LockInfo before, @Nullable Long token, boolean broken) {
    String name = "'" + before.name() + "'";
    if (broken) {
      String by = token == null ? "" : " by token " + token;
      return name + " was " + Holders.describe(before) + ", and is taken away" + by;
    }
    if (token != null && before.isHeld()) {
      return "token "
          + token
          + " does not hold "
          + name
          + ", which is left alone: it is "
          + Holders.describe(before)
          + ", token "
          + tokens(before);
    }
    return name + " is not held; there is nothing to break";
  }

  private static String tokens(LockInfo lock) {
    return lock.holders().stream()
        .map(holder -> Long.toString(holder.token()))
        .collect(Collectors.joining(", "));
  }

  private static boolean confirmed(LockInfo lock, @Nullable Long token, Console console)
      throws IOException {
    console.say("'" + lock.name() + "' is " + Holders.describe(lock) + ", token " + tokens(lock));
    if (token != null) {
      console.say("it is taken away only if token " + token + " still holds it");
    }
    console.say("its holder learns of the loss at its next renewal, and may work on until then");
    String answer = console.ask("Take the lock away? [y/N]").toLowerCase(Locale.ROOT);
    return answer.equals("y") || answer.equals("yes");
  }
}
