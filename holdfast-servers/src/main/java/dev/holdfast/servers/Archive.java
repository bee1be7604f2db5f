package dev.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** A server's files, packed into a jar that Maven carries. */
final class Archive {

  private Archive() {}

  /**
   * Unpacks a tar archive of the class path into the cache, unless that was done before.
   *
   * @param resource the archive's name; the folder is named after the jar around it, which has the
   *     version
   */
  static Path unpacked(String resource) throws IOException {
    URL url = Archive.class.getClassLoader().getResource(resource);
    if (url == null) {
      throw new IOException("no " + resource + " on the class path");
    }
    String jar = url.getPath().replaceFirst("\\.jar!.*", "").replaceFirst(".*/", "");
    Path folder = Programs.cache().resolve(jar);
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Files.createDirectories(Programs.cache());
    Path unfinished = Files.createTempDirectory(Programs.cache(), jar + "-");
    Path packed = unfinished.resolve("archive");
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false);
    try (InputStream in = connection.getInputStream()) {
      Files.copy(in, packed);
    }
    Commands.run(List.of("tar", "-xf", packed.toString(), "-C", unfinished.toString()));
    Files.delete(packed);
    try {
      Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw e;
    } catch (FileSystemException anotherWasFaster) {
      Commands.run(List.of("rm", "-rf", unfinished.toString()));
    }
    return folder;
  }
}
