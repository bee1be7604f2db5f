package dev.holdfast.cli.config;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no other user can change the files that the command line relies on, or read its
 * secrets. Root can do both anyway, so files of root are accepted. A group counts as other users.
 *
 * <p>A fault is described with the path and the command that repairs it; null means no fault.
 */
final class FileSafety {

  private static final int STICKY = 01000;
  private static final int OTHERS_WRITE = 0022;
  private static final int OTHERS_ENTER = 0011;
  private static final int GROUP_READ = 0040;
  private static final int OTHERS_READ = 0004;

  private final long user;

  /** For the user of this number. */
  FileSafety(long user) {
    this.user = user;
  }

  /** For the user that this process runs as. */
  static FileSafety ofThisUser() {
    return new FileSafety(new UnixSystem().getUid());
  }

  /** Others must not be able to write this file, or the one that it links to. */
  @Nullable String writeFault(Path file) throws IOException {
    return writeFault(file, attributes(file), OTHERS_WRITE);
  }

  /**
   * Others must not be able to write or read it. Its group may read a file of root's: that is how
   * an administrator, or Kubernetes, provides a secret.
   */
  @Nullable String secretFault(Path file) throws IOException {
    Attributes attributes = attributes(file);
    boolean given = attributes.owner == 0 && user != 0;
    int readers = given ? OTHERS_READ : OTHERS_READ | GROUP_READ;
    if ((attributes.mode & readers) != 0) {
      return file + " can be read by others; run: chmod " + (given ? "o-rwx " : "600 ") + file;
    }
    return writeFault(file, attributes, OTHERS_WRITE);
  }

  /**
   * The path must lead every process to the same file: it is not a link, and no other user can
   * replace a directory on the way.
   */
  @Nullable String pathFault(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      return path + " is a symbolic link; run: rm " + path;
    }
    String fault = Files.exists(path) ? writeFault(path) : null;
    if (fault != null) {
      return fault;
    }
    Path parent = path.toAbsolutePath().getParent();
    if (parent == null || !Files.exists(parent)) {
      return null;
    }
    // Both: a link on the way may be replaced, and it may lead to a place where others can write.
    for (Path way : List.of(parent, parent.toRealPath())) {
      fault = wayFault(way);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  private @Nullable String wayFault(Path way) throws IOException {
    for (int depth = 0; depth <= way.getNameCount(); depth++) {
      Path directory = depth == 0 ? way.getRoot() : way.getRoot().resolve(way.subpath(0, depth));
      Attributes attributes = attributes(directory);
      // In a sticky directory such as /tmp, users cannot rename each other's files.
      boolean sticky = (attributes.mode & STICKY) != 0;
      String fault = writeFault(directory, attributes, sticky ? 0 : OTHERS_WRITE);
      if (fault != null) {
        return fault;
      }
      if ((attributes.mode & OTHERS_ENTER) == 0) {
        return null; // other users cannot enter it
      }
    }
    return null;
  }

  private @Nullable String writeFault(Path file, Attributes attributes, int writers) {
    if (attributes.owner != user && attributes.owner != 0) {
      return file
          + " belongs to user id "
          + attributes.owner
          + ", who can change it; unless that is intended, run: chown "
          + user
          + " "
          + file;
    }
    return (attributes.mode & writers) == 0
        ? null
        : file + " can be written by others; run: chmod go-w " + file;
  }

  private record Attributes(long owner, int mode) {}

  private static Attributes attributes(Path file) throws IOException {
    return new Attributes(number(file, "uid") & 0xffffffffL, number(file, "mode"));
  }

  private static int number(Path file, String attribute) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:" + attribute);
  }
}
