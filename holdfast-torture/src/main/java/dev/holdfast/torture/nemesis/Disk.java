package dev.holdfast.torture.nemesis;

import dev.holdfast.servers.program.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The disk of the servers: a small one in memory where that can be mounted without anybody else
 * seeing it, which the launcher prepares for root; otherwise a folder that cannot be filled.
 * Unmounted by the system when this process ends.
 */
public final class Disk implements AutoCloseable {

  /** Set by the launcher: this process has its own table of mounts. */
  private static final String PRIVATE_MOUNTS = "holdfast.private-mounts";

  private static final String SIZE = "1200m";
  private static final long ROOM = 16L << 20;
  private static final byte[] BLOCK = new byte[4096];

  private final Path folder;
  private final boolean small;

  private Disk(Path folder, boolean small) {
    this.folder = folder;
    this.small = small;
  }

  /** A new one at this place. */
  public static Disk at(Path folder) throws IOException {
    Files.createDirectories(folder);
    boolean small = Boolean.getBoolean(PRIVATE_MOUNTS);
    if (small) {
      Commands.run(
          List.of("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", folder.toString()));
    }
    return new Disk(folder, small);
  }

  public Path folder() {
    return folder;
  }

  /** Returns whether it can be filled. */
  public boolean isSmall() {
    return small;
  }

  void fill() throws IOException {
    long most = Files.getFileStore(folder).getUsableSpace() - ROOM;
    if (most > 0) { // at once; the servers may write meanwhile
      Commands.run(List.of("fallocate", "-l", Long.toString(most), filler().toString()));
    }
    try (var out = Files.newOutputStream(folder.resolve("filler-rest"))) {
      while (true) {
        out.write(BLOCK);
      }
    } catch (IOException full) {
      // That was the aim.
    }
  }

  void free() throws IOException {
    Files.deleteIfExists(filler());
    Files.deleteIfExists(folder.resolve("filler-rest"));
  }

  @Override
  public void close() throws IOException {
    free();
    if (small) {
      Commands.run(List.of("umount", "-l", folder.toString()));
    }
  }

  private Path filler() {
    return folder.resolve("filler");
  }
}
