package dev.holdfast.cli.command;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.LockName;
import dev.holdfast.PrintableText;
import dev.holdfast.StoreException;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.fence.FileFence;
import dev.holdfast.spi.Tokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast fence show|reset NAME}: shows and resets the fence of a lock. */
final class FenceCommand implements Command {

  private static final String RESET = "reset";

  @Override
  public Syntax syntax() {
    return Syntax.actions("fence", List.of("show", RESET), "NAME")
        .store()
        .value("--file")
        .value("--to")
        .flag("--yes", "-y")
        .flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws IOException {
    String name = LockName.check(arguments.operand());
    boolean resets = arguments.action().equals(RESET);
    if (!resets && arguments.has("--to")) {
      throw CliException.usage("--to goes with holdfast fence reset only");
    }
    long token = token(arguments.value("--to"));
    if (resets && !arguments.has("--yes") && !console.isTerminal(0)) {
      throw CliException.usage(
          "fence reset asks for confirmation, and there is no terminal to answer; add --yes to"
              + " confirm");
    }
    String file = arguments.value("--file");
    if (file != null) {
      if (arguments.has("--store")) {
        throw CliException.usage(
            "--file and --store exclude each other: a fence is in a store or beside a file");
      }
      return use(fenceBeside(file), name, resets ? token : null, arguments, console);
    }
    try (Holdfast client = StoreChoice.connect(arguments, console)) {
      return use(client.fence(), name, resets ? token : null, arguments, console);
    }
  }

  /** The file must exist: a fence beside a misspelt path would guard nothing. */
  private static Fence fenceBeside(String file) {
    Path data = Path.of(file);
    if (!Files.exists(data)) {
      throw CliException.usage("--file '" + file + "' does not exist; name the guarded file");
    }
    return FileFence.beside(data);
  }

  private static long token(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    try {
      long token = Long.parseLong(text);
      if (token >= 0 && token <= Tokens.MAX) {
        return token;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw CliException.usage(
        "--to '" + text + "' is not a token: it must be between 0 and " + Tokens.MAX);
  }

  private static int use(
      Fence fence, String name, @Nullable Long token, Arguments arguments, Console console)
      throws IOException {
    String was = token == null ? Long.toString(fence.current(name)) : stand(fence, name, console);
    if (token != null) {
      if (!arguments.has("--yes") && !confirmed(name, was, token, console)) {
        console.say("the fence of '" + name + "' is left alone");
        return ExitCodes.NO;
      }
      fence.reset(name, token);
    }
    String now = token == null ? was : Long.toString(token);
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", name);
      json.put("was", was);
      json.put("token", now);
      console.out().println(Json.of(json));
    } else {
      console.out().println(PrintableText.escape(outcome(name, was, token)));
    }
    return ExitCodes.OK;
  }

  /** The fence's token; null if it cannot be read, which a reset repairs. */
  private static @Nullable String stand(Fence fence, String name, Console console) {
    try {
      return Long.toString(fence.current(name));
    } catch (StoreException e) {
      console.say(String.valueOf(e.getMessage()), e);
      return null;
    }
  }

  private static String outcome(String name, @Nullable String was, @Nullable Long token) {
    String fence = "the fence of '" + name + "' ";
    if (token == null) {
      return fence + ("0".equals(was) ? "has seen no token" : "is at " + was);
    }
    return fence
        + (was == null ? "could not be read" : "was at " + was)
        + " and is now at "
        + token;
  }

  private static boolean confirmed(String name, @Nullable String was, long token, Console console)
      throws IOException {
    if (was != null) {
      console.say("the fence of '" + name + "' is at " + was);
    }
    console.say(
        token == 0
            ? "after the reset, a late holder with any token can write again"
            : "after the reset, a late holder with token " + token + " or more can write again");
    String answer = console.ask("Reset the fence to " + token + "? [y/N]").toLowerCase(Locale.ROOT);
    return answer.equals("y") || answer.equals("yes");
  }
}
