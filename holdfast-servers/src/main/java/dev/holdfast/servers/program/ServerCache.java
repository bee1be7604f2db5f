package dev.holdfast.servers.program;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Folders that are filled once and kept for later runs; build/servers.sh uses them, too. */
public final class ServerCache {

  private ServerCache() {}

  /** The root of the cache, under the user's cache directory. */
  static Path root() {
    String given = System.getenv("XDG_CACHE_HOME");
    Path caches =
        given == null || given.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(given);
    return caches.resolve("holdfast").resolve("servers");
  }

  /** The folder of this name, filled now if it is missing; complete, or not there at all. */
  public static Path folder(String name, Filler filler) throws IOException {
    Path folder = root().resolve(name);
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Files.createDirectories(root());
    Path unfinished = Files.createTempDirectory(root(), name + "-");
    try {
      filler.fill(unfinished);
      Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw e;
    } catch (FileSystemException e) {
      if (!Files.isDirectory(folder)) {
        throw e; // otherwise another process was faster
      }
    } finally {
      Commands.run(List.of("rm", "-rf", unfinished.toString()));
    }
    return folder;
  }

  /** Fills an empty folder. */
  public interface Filler {
    void fill(Path folder) throws IOException;
  }
}
