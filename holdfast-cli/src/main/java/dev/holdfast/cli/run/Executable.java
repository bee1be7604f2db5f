package dev.holdfast.cli.run;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks a command up as the shell would, before the lock is acquired in vain. */
public final class Executable {

  /** Where commands are if the environment does not say. */
  static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  private Executable() {}

  /**
   * Returns normally if there is such a command.
   *
   * @throws CliException with 127 if there is none, 126 if it cannot be executed
   */
  public static void check(String command, @Nullable String path) {
    if (command.isEmpty()) {
      throw new CliException(ExitCodes.NOT_FOUND, "the command is empty; put one after --");
    }
    if (find(command, path) != null) {
      return;
    }
    for (Path file : candidates(command, path)) {
      if (Files.isDirectory(file) && command.indexOf('/') >= 0) {
        throw new CliException(
            ExitCodes.NOT_EXECUTABLE, "'" + command + "' is a directory, not a command");
      }
      if (Files.isRegularFile(file)) {
        throw new CliException(
            ExitCodes.NOT_EXECUTABLE,
            "'"
                + file
                + "' is not executable; make it so with chmod +x, or start it with its"
                + " interpreter");
      }
    }
    throw new CliException(
        ExitCodes.NOT_FOUND,
        "command '"
            + command
            + "' not found"
            + (command.indexOf('/') < 0 ? " on the PATH" : "")
            + "; check its spelling, or give its path");
  }

  /** The file that the command names, or null if there is none that can be executed. */
  public static @Nullable Path find(String command, @Nullable String path) {
    for (Path file : candidates(command, path)) {
      if (Files.isExecutable(file) && !Files.isDirectory(file)) {
        return file;
      }
    }
    return null;
  }

  private static List<Path> candidates(String command, @Nullable String path) {
    if (command.indexOf('/') >= 0) {
      return List.of(Path.of(command));
    }
    List<Path> files = new ArrayList<>();
    for (String directory : (path == null ? DEFAULT_PATH : path).split(":", -1)) {
      files.add(Path.of(directory.isEmpty() ? "." : directory, command));
    }
    return files;
  }
}
