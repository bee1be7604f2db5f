package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.spi.support.PrintableText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code holdfast release}: gives an acquired lock back. */
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
      console.out().println("'" + name + "' (token " + handle.token() + ") is given back");
    }
    return ExitCodes.OK;
  }
}
