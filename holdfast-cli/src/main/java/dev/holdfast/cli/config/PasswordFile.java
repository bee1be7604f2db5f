package dev.holdfast.cli.config;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Text;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file whose first line is a password, such as a mounted secret. Others must not read it. */
final class PasswordFile {

  private static final int LONGEST = 4096;

  private PasswordFile() {}

  /**
   * Reads the first line, without its end.
   *
   * @throws CliException if there is none, if the file cannot be read, or if others can read or
   *     write it
   */
  static String read(Path file) {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      String fault = FileSafety.ofThisUser().secretFault(file);
      if (fault != null) {
        throw CliException.usage("the password file " + fault);
      }
      bytes = in.readNBytes(LONGEST + 1);
    } catch (IOException e) {
      throw new CliException(
          ExitCodes.USAGE,
          "cannot read the password file " + file + " (" + Text.reason(e) + "); check its path",
          e);
    }
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw CliException.usage("the password file " + file + " is not text in UTF-8");
    }
    String line = text.lines().findFirst().orElse("");
    if (line.isEmpty()) {
      throw CliException.usage("the first line of the password file " + file + " is empty");
    }
    if (bytes.length > LONGEST) {
      throw CliException.usage(
          "the password file "
              + file
              + " is longer than "
              + LONGEST
              + " bytes; is it the right one?");
    }
    return line;
  }
}
