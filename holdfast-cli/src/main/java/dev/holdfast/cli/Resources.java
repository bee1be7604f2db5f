package dev.holdfast.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Texts that ship beside the classes: the help of each subcommand, and the watchdog's script. */
final class Resources {

  private Resources() {}

  /** Reads a text. */
  static String text(String path) {
    try (InputStream in = Resources.class.getResourceAsStream(path)) {
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
