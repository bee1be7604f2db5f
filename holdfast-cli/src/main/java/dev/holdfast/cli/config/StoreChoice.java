package dev.holdfast.cli.config;

import dev.holdfast.Holdfast;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Text;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.Secrets;
import dev.holdfast.spi.support.StoreUrl;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store to use, and the account to log in with. The URL: {@code --store}, else {@code
 * HOLDFAST_STORE}, else the config file's, else a SQLite file in the user's state directory, which
 * is made on first use and which no other user can read or replace. The user and the password:
 * {@code HOLDFAST_STORE_USER}, and {@code --password-file} or {@code HOLDFAST_STORE_PASSWORD}; else
 * the config file's, which belong to the store it names and go to no other.
 */
public final class StoreChoice {

  // Longer than a program would wait: a host whose cron has just started thirty jobs is slow.
  private static final Duration ANSWER = Duration.ofSeconds(15);

  private final String url;
  private final @Nullable String user;
  private final @Nullable String password;

  private StoreChoice(String url, @Nullable String user, @Nullable String password) {
    this.url = url;
    this.user = user;
    this.password = password;
  }

  /** Reads the options, the environment and, where those do not tell, the config file. */
  public static StoreChoice of(Arguments arguments, Console console) {
    String given = given(arguments, console);
    ConfigFile config = given == null ? ConfigFile.read(console) : null;
    String configured = config == null ? null : config.value("store");
    String url = given != null ? given : configured;
    String user = console.env("HOLDFAST_STORE_USER");
    String password = console.env("HOLDFAST_STORE_PASSWORD");
    String option = arguments.value("--password-file");
    Path file = option == null ? null : Path.of(option);
    if (config != null && configured != null) { // its user and password are for its own store
      user = user != null ? user : config.value("user");
      if (file == null && password == null) {
        file = config.file("password-file");
        password = config.value("password");
      }
    }
    password = file != null ? PasswordFile.read(file) : password;
    console.hide(Secrets.of(url == null ? "" : url, new Credentials(user, password)));
    return new StoreChoice(url != null ? url : hostStore(console), user, password);
  }

  /** A client of the chosen store. */
  public static Holdfast connect(Arguments arguments, Console console) {
    return of(arguments, console).builder().build();
  }

  /** The URL as people may see it. */
  public String redacted() {
    return StoreUrl.redact(url);
  }

  /** The settings of a client. */
  public Holdfast.Builder builder() {
    return Holdfast.builder().store(url).credentials(user, password).operationTimeout(ANSWER);
  }

  private static @Nullable String given(Arguments arguments, Console console) {
    String option = arguments.value("--store");
    if (option == null) {
      return console.env("HOLDFAST_STORE");
    }
    if (option.isBlank()) {
      throw CliException.usage(
          "--store is blank; give a URL, for example sqlite:/var/lib/locks.db");
    }
    if (!StoreUrl.redact(option).equals(option)) {
      throw CliException.usage(
          "--store holds a password, which everybody on this host could read in the list of"
              + " processes; put the password in HOLDFAST_STORE_PASSWORD or a --password-file, or"
              + " the URL in the variable HOLDFAST_STORE instead");
    }
    return option;
  }

  private static String hostStore(Console console) {
    Path directory = console.directory("XDG_STATE_HOME", ".local/state");
    if (directory == null) {
      throw CliException.usage(
          "no store given, and no home directory to keep one in;"
              + " give --store, or set HOLDFAST_STORE or HOME");
    }
    Path file = directory.resolve("locks.db");
    try {
      FileSafety safety = FileSafety.ofThisUser();
      refuse(file, safety.pathFault(directory));
      Files.createDirectories(directory, permissions("rwx------"));
      create(file);
      for (String part : List.of("", "-wal", "-shm", "-journal")) { // what SQLite keeps beside it
        refuse(file, safety.pathFault(directory.resolve("locks.db" + part)));
      }
      if (create(directory.resolve("told-about-host-only"))) {
        console.say(
            "no store given, so the locks are in "
                + file
                + " and exclude only processes of this user on this host. To share them, give"
                + " --store or set HOLDFAST_STORE. (Shown once.)");
      }
    } catch (IOException e) {
      throw new CliException(
          ExitCodes.STORE_UNREACHABLE,
          "cannot create the lock file "
              + file
              + " ("
              + Text.reason(e)
              + "); give --store, or set HOLDFAST_STORE or XDG_STATE_HOME",
          e);
    }
    return "sqlite:" + file;
  }

  private static void refuse(Path file, @Nullable String fault) {
    if (fault != null) {
      throw new CliException(
          ExitCodes.STORE_UNREACHABLE,
          "the lock file "
              + file
              + " is not safe: "
              + fault
              + ". Or give --store, or set HOLDFAST_STORE or XDG_STATE_HOME");
    }
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
}
