package dev.holdfast.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Text resources: the help of each subcommand, and the watchdog's script. */
public final class Resources {

  private static final String FOLDER = "/dev/holdfast/cli/";

  private Resources() {}

  /** Reads a text. */
  public static String text(String path) {
    try (InputStream in = Resources.class.getResourceAsStream(FOLDER + path)) {
      if (in == null) {
        throw new CliException(
            ExitCodes.INTERNAL, "this build of Holdfast lacks " + path + "; build it again");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
