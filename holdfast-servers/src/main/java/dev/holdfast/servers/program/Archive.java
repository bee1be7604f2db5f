package dev.holdfast.servers.program;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A server's files, packed into a jar that Maven carries. */
public final class Archive {

  private Archive() {}

  /**
   * Unpacks a tar archive of the class path into the cache, unless that was done before.
   *
   * @param resource the archive's name; the folder is named after the jar around it, which has the
   *     version
   */
  public static Path unpacked(String resource) throws IOException {
    URL url = Archive.class.getClassLoader().getResource(resource);
    if (url == null) {
      throw new IOException("no " + resource + " on the class path");
    }
    String jar = url.getPath().replaceFirst("\\.jar!.*", "").replaceFirst(".*/", "");
    return ServerCache.folder(jar, folder -> unpack(url, folder));
  }

  private static void unpack(URL url, Path folder) throws IOException {
    Path packed = folder.resolve("archive");
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false);
    try (InputStream in = connection.getInputStream()) {
      Files.copy(in, packed);
    }
    Commands.run(List.of("tar", "-xf", packed.toString(), "-C", folder.toString()));
    Files.delete(packed);
  }
}
