package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which store to use: {@code --store}, else {@code HOLDFAST_STORE}, else a SQLite file in the
 * user's state directory, which is made on first use and which nobody else can read.
 */
final class StoreChoice {

  // More than a program would wait: a machine whose cron has just started thirty jobs is slow.
  private static final Duration ANSWER = Duration.ofSeconds(15);

  private StoreChoice() {}

  /** The URL of the chosen store; prepares the default one. */
  static String url(Arguments arguments, Console console) {
    String option = arguments.value("--store");
    if (option != null) {
      if (option.isBlank()) {
        throw CliException.usage(
            "--store is blank; give a URL, for example sqlite:/var/lib/locks.db");
      }
      if (!StoreUrl.redact(option).equals(option)) {
        throw CliException.usage(
            "--store holds a password, which everybody on this host could read in the list of"
                + " processes; put the URL in the variable HOLDFAST_STORE instead");
      }
      return option;
    }
    String variable = console.env("HOLDFAST_STORE");
    return variable != null ? variable : hostStore(console);
  }

  /** A client of the chosen store. */
  static Holdfast connect(Arguments arguments, Console console) {
    return builder(arguments, console).build();
  }

  /** The settings of such a client. */
  static Holdfast.Builder builder(Arguments arguments, Console console) {
    return Holdfast.builder().store(url(arguments, console)).operationTimeout(ANSWER);
  }

  private static String hostStore(Console console) {
    Path directory = stateDirectory(console);
    Path file = directory.resolve("locks.db");
    try {
      Files.createDirectories(directory, permissions("rwx------"));
      create(file);
      if (create(directory.resolve("told-about-host-only"))) {
        console.say(
            "no store given, so the locks are in "
                + file
                + " and exclude only processes of this user on this host. To share them, give"
                + " --store or set HOLDFAST_STORE. (Said once.)");
      }
    } catch (IOException e) {
      throw new CliException(
          ExitCodes.STORE_UNREACHABLE,
          "cannot make the lock file "
              + file
              + " ("
              + reason(e)
              + "); give --store, or set HOLDFAST_STORE or XDG_STATE_HOME",
          e);
    }
    return "sqlite:" + file;
  }

  private static Path stateDirectory(Console console) {
    String state = console.env("XDG_STATE_HOME");
    // The XDG specification says to ignore a relative path.
    if (state != null && Path.of(state).isAbsolute()) {
      return Path.of(state, "holdfast");
    }
    String home = console.env("HOME");
    if (home == null || !Path.of(home).isAbsolute()) {
      throw CliException.usage(
          "no store given, and no home directory to keep one in;"
              + " give --store, or set HOLDFAST_STORE or HOME");
    }
    return Path.of(home, ".local", "state", "holdfast");
  }

  /** Makes a private file; returns whether it was not there. */
  private static boolean create(Path file) throws IOException {
    try {
      Files.createFile(file, permissions("rw-------"));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private static FileAttribute<Set<PosixFilePermission>> permissions(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }

  private static String reason(IOException failure) {
    @Nullable String reason =
        failure instanceof FileSystemException f ? f.getReason() : failure.getMessage();
    return reason != null ? reason : failure.getClass().getSimpleName();
  }
}
