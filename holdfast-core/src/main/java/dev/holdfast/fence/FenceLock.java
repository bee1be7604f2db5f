package dev.holdfast.fence;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/*
 * What keeps out whom:
 *   threads of this class loader   a ReentrantLock
 *   other class loaders            a mark among the system properties
 *   other processes                a lock on the file
 *
 * The lock on a file belongs to the process, not to a channel: closing ANY channel on the file ends it. So another copy
 * of this class, such as that of a second web application, must not even open the file while we hold the lock. Static
 * fields cannot tell it so, because each class loader has its own; the system properties are one object for the whole
 * JVM, and putting a mark if there is none is one atomic step. The mark is text, because programs that read the system
 * properties expect nothing else, and it is there only during a step.
 *
 * Other code may lock the file, too, and a program may replace all system properties and with them a mark. Then the JDK
 * refuses the second lock within the process with OverlappingFileLockException. We wait in that case as for another
 * process, but if we give up we must not close our channel: it is kept, and the next step uses it.
 */

/**
 * Runs one step at a time on a file, among all threads, class loaders and processes of a host.
 * Thread-safe.
 */
final class FenceLock {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(5);

  private static final ReentrantLock[] THREADS =
      Stream.generate(ReentrantLock::new).limit(64).toArray(ReentrantLock[]::new);

  /** At most one for each file, and none where only Holdfast locks it. */
  private static final ConcurrentHashMap<Path, FileChannel> KEPT_OPEN = new ConcurrentHashMap<>();

  private final Path file;
  private final String mark;

  /** By locking this file, which stays empty; a real path, so that all know it by the same name. */
  FenceLock(Path file) {
    this.file = file;
    this.mark = "dev.holdfast.fence " + file;
  }

  /** What is run alone. */
  interface Step {
    void run() throws IOException;
  }

  /**
   * Waits at most 10 s, then runs the step.
   *
   * @throws InterruptedException if interrupted before the step has begun
   * @throws IOException if the wait took too long, or by the step
   */
  void run(Step step) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    ReentrantLock threads = THREADS[Math.floorMod(file.hashCode(), THREADS.length)];
    if (!threads.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
      throw tooLong("another thread");
    }
    String ours = UUID.randomUUID().toString();
    try {
      while (System.getProperties().putIfAbsent(mark, ours) != null) {
        rest(deadline, "another class loader");
      }
      runExclusively(step, deadline);
    } finally {
      System.getProperties().remove(mark, ours);
      threads.unlock();
    }
  }

  /** Polls: waiting inside the system could not be ended at the deadline. */
  private void runExclusively(Step step, long deadline) throws IOException, InterruptedException {
    FileChannel channel = open();
    boolean foreign = false;
    try {
      while (true) {
        FileLock lock = null;
        try {
          lock = channel.tryLock();
          foreign = false;
        } catch (OverlappingFileLockException e) {
          foreign = true;
        }
        if (lock != null) {
          step.run();
          return;
        }
        rest(deadline, foreign ? "other code of this process" : "another process");
      }
    } finally {
      if (foreign) {
        KEPT_OPEN.put(file, channel);
      } else {
        channel.close(); // with the lock
      }
    }
  }

  private FileChannel open() throws IOException {
    FileChannel kept = KEPT_OPEN.remove(file);
    if (kept != null && kept.isOpen()) {
      return kept;
    }
    FenceFile.isThere(file); // refuses what would block or lead elsewhere
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  private static void rest(long deadline, String who) throws IOException, InterruptedException {
    if (System.nanoTime() - deadline > 0) {
      throw tooLong(who);
    }
    LockSupport.parkNanos(LOOK_AGAIN);
    // Before the channel is used again: it would be closed by the interrupt.
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  private static IOException tooLong(String who) {
    return new IOException(who + " has been using it for " + PATIENCE.toSeconds() + " s");
  }
}
