package dev.holdfast.cli.command;

import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast version}. */
final class VersionCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.plain("version").flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    String built = VersionCommand.class.getPackage().getImplementationVersion();
    String version = built == null ? "(not packaged)" : built;
    String java = Runtime.version().toString();
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("version", version);
      json.put("java", java);
      console.out().println(Json.of(json));
    } else {
      console.out().println("holdfast " + version + " (Java " + java + ")");
    }
    return ExitCodes.OK;
  }
}
