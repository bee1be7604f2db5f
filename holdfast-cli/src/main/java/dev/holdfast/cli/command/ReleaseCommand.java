package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.PrintableText;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.HandleSource;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast release}: releases an acquired lock. */
final class ReleaseCommand implements Command {

  @Override
  public Syntax syntax() {
    return HandleSource.syntax("release");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    LeaseHandle handle = HandleSource.read(arguments, console);
    try (Holdfast locks = StoreChoice.connect(arguments, console)) {
      if (!locks.attach(handle).release()) {
        throw new LeaseLostException(handle.lockName(), handle.token(), "ended before its release");
      }
    }
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("name", handle.lockName());
      json.put("token", Long.toString(handle.token()));
      json.put("released", true);
      console.out().println(Json.of(json));
    } else {
      String name = PrintableText.escape(handle.lockName());
      console.out().println("'" + name + "' (token " + handle.token() + ") is released");
    }
    return ExitCodes.OK;
  }
}
