package dev.holdfast.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The threads that all stores of this JVM share; they end with the last store. */
final class Threads {

  // A lease must not be lost because the client rests between two attempts: Lettuce's own limit is
  // 30 s.
  private static final Duration LONGEST_REST = Duration.ofMillis(500);
  private static final int IO_THREADS = 2;

  private static final ReentrantLock MUTEX = new ReentrantLock();

  // Mutable state, guarded by MUTEX
  private static @Nullable ClientResources shared;
  private static int users;

  private Threads() {}

  static ClientResources take() {
    MUTEX.lock();
    try {
      if (shared == null) {
        shared =
            DefaultClientResources.builder()
                .ioThreadPoolSize(IO_THREADS)
                .computationThreadPoolSize(IO_THREADS)
                .reconnectDelay(
                    () ->
                        Delay.fullJitter(
                            Duration.ofMillis(1), LONGEST_REST, 10, TimeUnit.MILLISECONDS))
                .build();
      }
      users++;
      return shared;
    } finally {
      MUTEX.unlock();
    }
  }

  static void giveBack() {
    MUTEX.lock();
    try {
      users--;
      if (users == 0 && shared != null) {
        var unused = shared.shutdown(0, 2, TimeUnit.SECONDS);
        shared = null;
      }
    } finally {
      MUTEX.unlock();
    }
  }
}
