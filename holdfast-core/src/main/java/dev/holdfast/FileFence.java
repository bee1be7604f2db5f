package dev.holdfast;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A fence for data in a file: the tokens are kept beside it, and {@link #write} checks the token
 * and replaces the file in one step.
 *
 * <pre>{@code
 * FileFence fence = FileFence.beside(Path.of("/srv/app/prices.csv"));
 * fence.enter(lease.proof()); // before the first read
 * byte[] changed = change(Files.readAllBytes(prices));
 * fence.write(lease.proof(), changed);
 * }</pre>
 *
 * <p><b>Promises</b>, between threads and between processes of one host: once a later holder has
 * entered, nothing of an earlier one is written through the fence; a reader of the data finds all
 * of a write or nothing of it, also after a power cut. <b>Does not promise</b> anything for writes
 * that go around it, nor on a network file system, whose file locks may exclude nobody.
 *
 * <p>Beside {@code prices.csv} there are {@code prices.csv.fence} with the highest exclusive token
 * of each lock, {@code prices.csv.fence.lock}, which stays empty, and for a moment {@code …new}.
 * Keep the first as long as the data.
 *
 * <p><b>Threads.</b> Any. A step waits at most 10 s for one that is under way elsewhere.
 */
public final class FileFence implements Fence {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(5);

  /** A file lock excludes processes only; these exclude the threads of this one. */
  private static final ReentrantLock[] THREADS =
      Stream.generate(ReentrantLock::new).limit(64).toArray(ReentrantLock[]::new);

  private final Path data;
  private final Path tokens;
  private final Path lock;

  private FileFence(Path data) {
    this.data = data;
    this.tokens = data.resolveSibling(data.getFileName() + ".fence");
    this.lock = data.resolveSibling(data.getFileName() + ".fence.lock");
  }

  /**
   * The fence of a file, which need not be there yet.
   *
   * @throws IllegalArgumentException if its folder is not there
   */
  public static FileFence beside(Path data) {
    Path absolute = data.toAbsolutePath();
    Path folder = absolute.getParent();
    Path name = absolute.getFileName();
    if (folder == null || name == null) {
      throw new IllegalArgumentException("'" + data + "' is not a file");
    }
    try { // By its real name: a link to the data must not lead to another fence.
      return new FileFence(
          Files.exists(absolute) ? absolute.toRealPath() : folder.toRealPath().resolve(name));
    } catch (IOException e) {
      throw new IllegalArgumentException("there is no folder " + folder, e);
    }
  }

  @Override
  public void enter(Proof proof) {
    exclusively(proof, () -> raise(proof));
  }

  @Override
  public void check(Proof proof) {
    try { // Without the lock: the file is replaced as a whole.
      new InMemoryFence(FenceFile.read(tokens)).check(proof);
    } catch (IOException e) {
      throw failed(proof, e);
    }
  }

  /**
   * Replaces the data, if the token is not stale. Permissions stay as they were.
   *
   * @throws StaleTokenException if a later holder has entered; nothing was written
   * @throws StoreException if it is not known whether the data were replaced
   */
  public void write(Proof proof, byte[] content) {
    exclusively(
        proof,
        () -> {
          raise(proof);
          FenceFile.replace(data, content);
        });
  }

  private void raise(Proof proof) throws IOException {
    Map<String, Long> before = FenceFile.read(tokens);
    InMemoryFence fence = new InMemoryFence(before);
    fence.enter(proof);
    Map<String, Long> after = fence.tokens();
    if (!after.equals(before)) {
      FenceFile.write(tokens, after);
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private void exclusively(Proof proof, Step step) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    ReentrantLock threads = THREADS[Math.floorMod(lock.hashCode(), THREADS.length)];
    try {
      if (!threads.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IOException("another thread has been at it for " + PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(proof, e);
    } catch (IOException e) {
      throw failed(proof, e);
    }
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock processes = take(channel, deadline)) {
      step.run();
    } catch (IOException e) {
      throw failed(proof, e);
    } finally {
      threads.unlock();
    }
  }

  /** Polls: waiting inside the system could not be ended at the deadline. */
  private static FileLock take(FileChannel channel, long deadline) throws IOException {
    while (true) {
      FileLock held = channel.tryLock();
      if (held != null) {
        return held;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("another process has been at it for " + PATIENCE);
      }
      LockSupport.parkNanos(LOOK_AGAIN);
    }
  }

  private StoreException failed(Proof proof, Exception cause) {
    return new StoreException(
        proof.lock(),
        "The fence of '" + proof.lock() + "' beside " + data + " did not answer (" + cause + ").",
        cause);
  }
}
