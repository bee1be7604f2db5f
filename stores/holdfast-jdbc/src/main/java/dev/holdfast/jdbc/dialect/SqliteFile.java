package dev.holdfast.jdbc.dialect;

import dev.holdfast.StoreException;
import dev.holdfast.spi.support.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The file of a SQLite store: found in the URL, and checked before SQLite touches it, so that a
 * mistake is called by its name. Immutable.
 *
 * @param url as messages show it
 * @param path absolute
 */
public record SqliteFile(String url, Path path) {

  private static final String EXAMPLE = "; write for example sqlite:/var/lib/app/locks.db";

  /**
   * The file that a URL names.
   *
   * @param url {@code sqlite:PATH} or {@code jdbc:sqlite:PATH}
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static SqliteFile of(String url) {
    String text = url.substring(url.indexOf("sqlite:") + "sqlite:".length());
    if (text.isBlank()) {
      throw malformed(url, "the path is missing");
    }
    if (text.startsWith(":") || text.startsWith("file:")) {
      throw malformed(url, "only the path of a file can be shared by processes");
    }
    if (text.startsWith("//") && !text.startsWith("///")) {
      throw malformed(url, "a SQLite store is a file of this host, without a host's name");
    }
    if (text.contains("?") || text.contains("#")) {
      throw malformed(url, "it takes no parameters, and the path no ? or #");
    }
    try {
      return new SqliteFile(StoreUrl.redact(url), Path.of(text).toAbsolutePath().normalize());
    } catch (InvalidPathException e) {
      throw malformed(url, "the path is invalid: " + e.getReason());
    }
  }

  /**
   * Refuses a place where no shared database can be.
   *
   * @throws StoreException saying which and why
   */
  public void check() {
    check(NetworkFileSystem::is);
  }

  /** With another idea of which types of file system are networks, for tests. */
  public void check(Predicate<String> isNetwork) {
    Path directory = path.getParent();
    if (directory == null || Files.isDirectory(path)) {
      throw unusable(path + " is a directory; name a file in it");
    }
    if (!Files.isDirectory(directory)) {
      throw unusable("the directory " + directory + " does not exist; create it first");
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw unusable(path + " is not a regular file");
    }
    checkFileSystem(Files.exists(path) ? path : directory, isNetwork);
    if (!Files.isWritable(directory)) {
      throw unusable("the directory " + directory + " is read-only for this user");
    }
    if (Files.exists(path) && !Files.isWritable(path)) {
      throw unusable("the file is read-only for this user");
    }
  }

  boolean isWritableByAll() {
    try {
      return Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_WRITE);
    } catch (IOException | UnsupportedOperationException e) {
      return false; // unknown
    }
  }

  /** Returns what distinguishes this file from another of its name; null if it does not exist. */
  public @Nullable Object identity() {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException absent) {
      return null;
    }
  }

  /** About the whole store. */
  public StoreException unusable(String why) {
    return new StoreException("", "Cannot use " + url + ": " + why + ".");
  }

  private void checkFileSystem(Path place, Predicate<String> isNetwork) {
    String type;
    try {
      type = Files.getFileStore(place).type();
    } catch (IOException e) {
      throw new StoreException(
          "", "Cannot use " + StoreUrl.redact(url) + ": its file system cannot be determined.", e);
    }
    if (isNetwork.test(type)) {
      throw unusable(
          "it is on a network file system ("
              + type
              + "), where SQLite's locks do not exclude other hosts; use a local disk,"
              + " or a database server for several hosts");
    }
  }

  private static IllegalArgumentException malformed(String url, String why) {
    return StoreUrl.malformed(url, why + EXAMPLE);
  }
}
