package dev.holdfast.servers.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The temporary folder of one server, readable by us alone. It goes when the server is closed; if
 * our JVM is killed before, the next one that starts a server removes it.
 */
final class ServerFolder implements AutoCloseable {

  private static final String PREFIX = "holdfast-server-";
  private static final String LOCK = "in-use";

  /** Linux keeps in memory what is there. In a container it is often small. */
  private static final Path MEMORY = Path.of("/dev/shm");

  private static final long ROOM = 2L << 30;

  /** The process that made a folder has locked it long before it is this old. */
  private static final Duration UNDECIDED = Duration.ofMinutes(1);

  // Once, before this process has a folder: looking at its lock would release it.
  private static final AtomicBoolean LOOKED = new AtomicBoolean();

  private final Path path;
  private final FileChannel inUse;

  private ServerFolder(Path path, FileChannel inUse) {
    this.path = path;
    this.inUse = inUse;
  }

  /**
   * A new one.
   *
   * @param inMemory not on a disk, if this machine has room for that
   */
  static ServerFolder create(String name, boolean inMemory) {
    try {
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      if (!LOOKED.getAndSet(true)) {
        removeAbandoned(temporary);
        removeAbandoned(MEMORY);
      }
      Path parent = inMemory && hasRoom(MEMORY) ? MEMORY : temporary;
      Path path = Files.createTempDirectory(parent, PREFIX + name + "-");
      FileChannel inUse =
          FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      inUse.lock(); // until the channel is closed, or the JVM ends however it does
      return new ServerFolder(path, inUse);
    } catch (IOException e) {
      throw new UncheckedIOException("no folder for " + name, e);
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      inUse.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot give up " + path, e);
    }
    remove(path);
  }

  private static boolean hasRoom(Path folder) {
    try {
      return Files.isWritable(folder) && Files.getFileStore(folder).getUsableSpace() >= ROOM;
    } catch (IOException unknown) {
      return false;
    }
  }

  private static void removeAbandoned(Path temporary) {
    Instant old = Instant.now().minus(UNDECIDED);
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
      for (Path folder : folders) {
        if (isAbandoned(folder, old)) {
          remove(folder);
        }
      }
    } catch (IOException | DirectoryIteratorException unreadable) {
      // What is left is in the folder for temporary files.
    }
  }

  private static boolean isAbandoned(Path folder, Instant old) {
    try {
      return Files.getLastModifiedTime(folder).toInstant().isBefore(old) && !isInUse(folder);
    } catch (IOException removedByItsOwner) {
      return false;
    }
  }

  private static boolean isInUse(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (NoSuchFileException neverLocked) {
      return false;
    }
  }

  private static void remove(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException goneMeanwhile) {
      // What is left is in the folder for temporary files.
    }
  }
}
