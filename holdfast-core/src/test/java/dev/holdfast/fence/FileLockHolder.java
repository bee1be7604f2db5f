package dev.holdfast.fence;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A program that tests start: it locks a file, says so, and ends with its input. */
public final class FileLockHolder {

  private FileLockHolder() {}

  /** Takes the file's name. */
  public static void main(String[] arguments) throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      System.out.println(lock != null ? "LOCKED" : "BUSY");
      System.in.read();
    }
  }

  /** In another process; the first line that it prints tells whether it has the lock. */
  static Process start(Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            Path.of(
                    FileLockHolder.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString(),
            FileLockHolder.class.getName(),
            file.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
