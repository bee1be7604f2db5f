package dev.holdfast.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
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
                .eventLoopGroupProvider(new Loops())
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
        // Which leaves what it was given to who gave it.
        var unusedToo = shared.eventLoopGroupProvider().shutdown(0, 2, TimeUnit.SECONDS);
        shared = null;
      }
    } finally {
      MUTEX.unlock();
    }
  }

  /**
   * The threads of connections. Lettuce ends them with the last client that uses them, and may hand
   * them out to the next one in the same moment. So they count one use more.
   */
  private static final class Loops extends DefaultEventLoopGroupProvider {
    private final ReentrantLock mutex = new ReentrantLock();

    // Mutable state, guarded by mutex
    private final Set<Class<?>> known = new HashSet<>();

    Loops() {
      super(IO_THREADS);
    }

    @Override
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
      mutex.lock();
      try {
        if (known.add(type)) {
          super.allocate(type);
        }
        return super.allocate(type);
      } finally {
        mutex.unlock();
      }
    }
  }
}
