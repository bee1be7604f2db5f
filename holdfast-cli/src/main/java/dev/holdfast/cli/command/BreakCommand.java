package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.LockName;
import dev.holdfast.PrintableText;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.LockJson;
import dev.holdfast.cli.output.LockText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast break NAME}: takes a lock away from its holder; with {@code --token}, from that
 * holder only; with {@code --force}, removes a record that cannot be read.
 */
final class BreakCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.one("break", "NAME")
        .store()
        .value("--token")
        .flag("--force")
        .flag("--yes", "-y")
        .flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws IOException {
    String name = LockName.check(arguments.operand());
    if (!arguments.has("--yes") && !console.isTerminal(0)) {
      throw CliException.usage(
          "break asks for confirmation, and there is no terminal to answer; add --yes to confirm");
    }
    Long token = token(arguments);
    if (arguments.has("--force")) {
      if (token != null) {
        throw CliException.usage(
            "--force and --token exclude each other: a record that cannot be read has no token");
      }
      return discard(name, arguments, console);
    }
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
    print(before, broken, outcome(before, token, broken), arguments, console);
    return broken || token == null ? ExitCodes.OK : ExitCodes.NO;
  }

  /** A record that can be read has a holder that can be named: that one is not ended by force. */
  private static int discard(String name, Arguments arguments, Console console) throws IOException {
    LockInfo after;
    boolean removed;
    try (Holdfast client = StoreChoice.connect(arguments, console)) {
      if (!arguments.has("--yes")) {
        console.say("the record of '" + name + "' will be removed if it cannot be read");
        console.say("if a newer version of Holdfast wrote it, its holder loses the lock");
        if (!isYes(console.ask("Remove it? [y/N]"))) {
          console.say("'" + name + "' is left alone");
          return ExitCodes.NO;
        }
      }
      removed = client.discard(name);
      after = client.inspect(name);
    }
    String outcome =
        removed
            ? "the record of '" + name + "' could not be read and was removed"
            : after.isHeld()
                ? "'"
                    + name
                    + "' can be read and is not removed: it is "
                    + LockText.holders(after)
                    + "; use holdfast break without --force"
                : "there is no unreadable record of '" + name + "'";
    print(after, removed, outcome, arguments, console);
    return removed || !after.isHeld() ? ExitCodes.OK : ExitCodes.NO;
  }

  private static void print(
      LockInfo lock, boolean broken, String outcome, Arguments arguments, Console console) {
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", lock.name());
      json.put("broken", broken);
      json.put("holders", LockJson.claims(lock.holders()));
      console.out().println(Json.of(json));
    } else {
      console.out().println(PrintableText.escape(outcome));
    }
  }

  /** The value of {@code --token}; null if it was not given: then any holder is meant. */
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
      // reported below
    }
    throw CliException.usage(
        "--token '" + text + "' is not a token; holdfast show prints that of each holder");
  }

  private static String outcome(LockInfo before, @Nullable Long token, boolean broken) {
    String name = "'" + before.name() + "'";
    if (broken) {
      String by = token == null ? "" : " (token " + token + ")";
      return name + " was " + LockText.holders(before) + ", and was broken" + by;
    }
    if (token != null && before.isHeld()) {
      return "token "
          + token
          + " does not hold "
          + name
          + ", which is left alone: it is "
          + LockText.holders(before)
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
    console.say("'" + lock.name() + "' is " + LockText.holders(lock) + ", token " + tokens(lock));
    if (token != null) {
      console.say("it is broken only if token " + token + " still holds it");
    }
    console.say("its holder notices the loss at its next renewal, and may keep working until then");
    return isYes(console.ask("Break the lock? [y/N]"));
  }

  private static boolean isYes(String answer) {
    return List.of("y", "yes").contains(answer.toLowerCase(Locale.ROOT));
  }
}
