package dev.holdfast.cli.config;

import dev.holdfast.LeaseHandle;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Text;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads the handle for {@code renew} and {@code release} from a file, standard input or the
 * variable {@code HOLDFAST_HANDLE}; never from an argument, which every user of the host can read.
 */
public final class HandleSource {

  private static final String PLACES =
      "put it in the variable HOLDFAST_HANDLE, or in a file for --handle-file (- is standard"
          + " input)";
  private static final int LONGEST = 16384;

  private HandleSource() {}

  /** The syntax of a command that needs a handle. */
  public static Syntax syntax(String command) {
    return Syntax.optional(command, "HANDLE").store().value("--handle-file").flag("--json");
  }

  /**
   * Reads the handle.
   *
   * @throws CliException if there is none; the message never repeats what was given instead
   */
  public static LeaseHandle read(Arguments arguments, Console console) {
    if (!arguments.operand().isEmpty()) {
      throw CliException.usage(
          "a handle is a secret, and everybody on this host can read arguments; " + PLACES);
    }
    String file = arguments.value("--handle-file");
    String text = file != null ? content(file, console) : console.env("HOLDFAST_HANDLE");
    if (text == null || text.isBlank()) {
      throw CliException.usage("no handle given; acquire prints one: " + PLACES);
    }
    LeaseHandle handle = LeaseHandle.parse(text.strip());
    console.hide(Secrets.of("", new Credentials(null, handle.claimId())));
    return handle;
  }

  private static String content(String file, Console console) {
    try {
      byte[] bytes = file.equals("-") ? console.in().readNBytes(LONGEST) : read(Path.of(file));
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CliException(
          ExitCodes.USAGE,
          "cannot read the handle from " + file + " (" + Text.reason(e) + "); check its path",
          e);
    }
  }

  private static byte[] read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(LONGEST);
    }
  }
}
