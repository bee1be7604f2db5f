package dev.holdfast.cli.config;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Text;
import dev.holdfast.spi.support.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The user's settings, {@code $XDG_CONFIG_HOME/holdfast/config}: lines of {@code key = value}, with
 * {@code #} for comments. A file that others can write is refused, since they could send our locks
 * and our password elsewhere; so is a file with a password that others can read.
 */
final class ConfigFile {

  private static final List<String> KEYS = List.of("store", "user", "password", "password-file");

  private final Path file;
  private final Map<String, String> values;

  private ConfigFile(Path file, Map<String, String> values) {
    this.file = file;
    this.values = values;
  }

  /**
   * Reads it; a missing file has no values.
   *
   * @throws CliException if it cannot be read or understood, if others can write it, or read a
   *     password in it
   */
  static ConfigFile read(Console console) {
    Path directory = console.directory("XDG_CONFIG_HOME", ".config");
    if (directory == null) {
      return new ConfigFile(Path.of("config"), Map.of());
    }
    Path file = directory.resolve("config");
    try {
      ConfigFile config = new ConfigFile(file, parse(file, Files.readAllLines(file)));
      config.check(FileSafety.ofThisUser());
      return config;
    } catch (NoSuchFileException e) {
      return new ConfigFile(file, Map.of());
    } catch (IOException e) {
      throw new CliException(
          ExitCodes.USAGE,
          "cannot read the config file " + file + " (" + Text.reason(e) + "); repair or remove it",
          e);
    }
  }

  /** The value, or null if the file does not have it. */
  @Nullable String value(String key) {
    return values.get(key);
  }

  /** The file that a value names, relative to the config file; null if there is no such value. */
  @Nullable Path file(String key) {
    String value = values.get(key);
    return value == null ? null : file.resolveSibling(value);
  }

  private static Map<String, String> parse(Path file, List<String> lines) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      String key = equals < 0 ? "" : line.substring(0, equals).strip();
      String value = line.substring(equals + 1).strip();
      // The line itself is never repeated: it may hold the password.
      String place = "line " + (i + 1) + " of the config file " + file;
      if (key.isEmpty()) {
        throw CliException.usage(place + " is not of the form key = value");
      }
      if (!KEYS.contains(key)) {
        throw CliException.usage(place + " has an unknown key; the keys are: " + keys());
      }
      if (value.isEmpty() || values.put(key, value) != null) {
        throw CliException.usage(place + " sets " + key + " to nothing, or twice");
      }
    }
    if (values.containsKey("password") && values.containsKey("password-file")) {
      throw CliException.usage(
          "the config file " + file + " has both password and password-file; remove one of them");
    }
    return values;
  }

  private static String keys() {
    return String.join(", ", KEYS);
  }

  private void check(FileSafety safety) throws IOException {
    String store = values.getOrDefault("store", "");
    boolean secret = values.containsKey("password") || !StoreUrl.redact(store).equals(store);
    String fault = secret ? safety.secretFault(file) : safety.writeFault(file);
    if (fault != null) {
      throw CliException.usage("the config file " + fault);
    }
  }
}
