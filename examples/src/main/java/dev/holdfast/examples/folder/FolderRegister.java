package dev.holdfast.examples.folder;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Register;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One file for each key, with its version, its end and its value. Each step holds a lock on one
 * more file, which has the last version. The clock is the host's. Thread-safe.
 */
final class FolderRegister implements Register {

  // The operating system's locks exclude processes; threads of one must exclude each other.
  private static final ReentrantLock ONE_THREAD = new ReentrantLock();

  private final Path folder;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "holdfast-folder");
            thread.setDaemon(true);
            return thread;
          });

  FolderRegister(Path folder) {
    this.folder = folder;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return step(versions -> living(key));
  }

  @Override
  public CompletionStage<OptionalLong> compareAndSet(
      String key, long expected, @Nullable String value, Duration ttl) {
    return step(
        versions -> {
          long found = living(key).map(Entry::version).orElse(ABSENT);
          if (found != expected) {
            return OptionalLong.empty();
          }
          if (value == null) {
            Files.deleteIfExists(file(key));
            return OptionalLong.of(ABSENT);
          }
          long version = next(versions);
          String record = version + " " + Instant.now().plus(ttl) + "\n" + value;
          replace(file(key), record);
          return OptionalLong.of(version);
        });
  }

  private Optional<Entry> living(String key) throws IOException {
    if (!Files.exists(file(key))) {
      return Optional.empty();
    }
    String[] parts = Files.readString(file(key)).split("[ \n]", 3);
    Duration remaining = Duration.between(Instant.now(), Instant.parse(parts[1]));
    return remaining.isNegative() || remaining.isZero()
        ? Optional.empty()
        : Optional.of(new Entry(parts[2], Long.parseLong(parts[0]), remaining));
  }

  // Also greater than those of a folder that was removed.
  private static long next(Path versions) throws IOException {
    String last = Files.exists(versions) ? Files.readString(versions) : "";
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long version = Math.max(now, last.isEmpty() ? 0 : Long.parseLong(last) + 1);
    replace(versions, Long.toString(version));
    return version;
  }

  // In one step: a process that is killed while it writes leaves what was there before.
  private static void replace(Path file, String text) throws IOException {
    Path written = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private interface Step<T> {
    T apply(Path versions) throws IOException;
  }

  private <T> CompletionStage<T> step(Step<T> step) {
    return CompletableFuture.supplyAsync(
        () -> {
          ONE_THREAD.lock();
          try {
            return alone(step);
          } catch (IOException e) {
            throw new CompletionException(
                new StoreException("", "No answer from " + this + ": " + e, e));
          } finally {
            ONE_THREAD.unlock();
          }
        },
        worker);
  }

  private <T> T alone(Step<T> step) throws IOException {
    Files.createDirectories(folder);
    Path versions = folder.resolve("versions");
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock ignored = channel.lock()) {
      return step.apply(versions);
    }
  }

  /** A name may have any characters, and more of them than a file's. */
  private Path file(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return folder.resolve(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String place(String key) {
    return "file " + file(key);
  }

  @Override
  public void close() {
    worker.shutdown();
  }

  @Override
  public String toString() {
    return "folder:" + folder;
  }
}
