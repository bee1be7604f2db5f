package dev.holdfast.cli;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether other users could change what we rely on, or read what is secret. Root can do both
 * anyway, so a file of root's is as good as one of ours. A group counts as other users.
 *
 * <p>A fault is described with the path and the command that mends it; no fault is null.
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
   * Others must not be able to write or read it. Its group may read a file that is root's and not
   * ours: that is how an administrator, or Kubernetes, gives us a secret.
   */
  @Nullable String secretFault(Path file) throws IOException {
    Attributes attributes = attributes(file);
    boolean given = attributes.owner == 0 && user != 0;
    int readers = given ? OTHERS_READ : OTHERS_READ | GROUP_READ;
    if ((attributes.mode & readers) != 0) {
      return file + " can be read by others; say: chmod " + (given ? "o-rwx " : "600 ") + file;
    }
    return writeFault(file, attributes, OTHERS_WRITE);
  }

  /**
   * The file that this path names must be the same for every process: no link, and nothing on the
   * way to it that others could put something else in place of.
   */
  @Nullable String pathFault(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      return path + " is a symbolic link; say: rm " + path;
    }
    String fault = Files.exists(path) ? writeFault(path) : null;
    if (fault != null) {
      return fault;
    }
    Path parent = path.toAbsolutePath().getParent();
    if (parent == null || !Files.exists(parent)) {
      return null;
    }
    // Both: a link on the way may be replaced where it is, and lead to where others can write.
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
      // In a sticky directory, as /tmp is one, nobody can rename what is another's.
      boolean sticky = (attributes.mode & STICKY) != 0;
      String fault = writeFault(directory, attributes, sticky ? 0 : OTHERS_WRITE);
      if (fault != null) {
        return fault;
      }
      if ((attributes.mode & OTHERS_ENTER) == 0) {
        return null; // nobody else gets any further
      }
    }
    return null;
  }

  private @Nullable String writeFault(Path file, Attributes attributes, int writers) {
    if (attributes.owner != user && attributes.owner != 0) {
      return file
          + " belongs to the user with the number "
          + attributes.owner
          + ", who can change it; if that is not meant to be, say: chown "
          + user
          + " "
          + file;
    }
    return (attributes.mode & writers) == 0
        ? null
        : file + " can be written by others; say: chmod go-w " + file;
  }

  private record Attributes(long owner, int mode) {}

  private static Attributes attributes(Path file) throws IOException {
    return new Attributes(number(file, "uid") & 0xffffffffL, number(file, "mode"));
  }

  private static int number(Path file, String attribute) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:" + attribute);
  }
}
