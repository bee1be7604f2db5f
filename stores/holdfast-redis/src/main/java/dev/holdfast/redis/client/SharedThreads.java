package dev.holdfast.redis.client;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads that all stores of this JVM share; they end with the last store that uses them. All
 * connections of one client are on one thread, so a wake-up and the refresh that follows need no
 * change of threads. Thread-safe.
 */
final class SharedThreads {

  // A lease must not be lost because the client pauses between two attempts to connect, which
  // Lettuce does for up to 30 s by default.
  private static final Duration MAX_PAUSE = Duration.ofMillis(500);
  private static final int COMPUTATION_THREADS = 2;

  private static final ReentrantLock MUTEX = new ReentrantLock();
  private static final List<SharedThreads> ALL = List.of(new SharedThreads(), new SharedThreads());

  // Mutable state, guarded by MUTEX
  private @Nullable ClientResources shared;
  private int users;

  private SharedThreads() {}

  /** Takes the threads with the fewest users. */
  static SharedThreads take() {
    MUTEX.lock();
    try {
      SharedThreads threads = Collections.min(ALL, Comparator.comparingInt(some -> some.users));
      threads.users++;
      return threads;
    } finally {
      MUTEX.unlock();
    }
  }

  /** For the client that has taken these threads. */
  ClientResources resources() {
    MUTEX.lock();
    try {
      ClientResources resources = shared;
      if (resources == null) {
        resources =
            DefaultClientResources.builder()
                .eventLoopGroupProvider(new Loops())
                .computationThreadPoolSize(COMPUTATION_THREADS)
                .reconnectDelay(
                    () ->
                        Delay.fullJitter(
                            Duration.ofMillis(1), MAX_PAUSE, 10, TimeUnit.MILLISECONDS))
                .build();
        shared = resources;
      }
      return resources;
    } finally {
      MUTEX.unlock();
    }
  }

  void release() {
    MUTEX.lock();
    try {
      users--;
      if (users == 0 && shared != null) {
        var unused = shared.shutdown(0, 2, TimeUnit.SECONDS);
        // It leaves the event loops that it was given to us.
        var unusedToo = shared.eventLoopGroupProvider().shutdown(0, 2, TimeUnit.SECONDS);
        shared = null;
      }
    } finally {
      MUTEX.unlock();
    }
  }

  /**
   * The thread of the connections. Lettuce ends it with the last client that uses it, and may hand
   * it to the next client at the same moment. So we count as one more user.
   */
  private static final class Loops extends DefaultEventLoopGroupProvider {
    private final ReentrantLock mutex = new ReentrantLock();

    // Mutable state, guarded by mutex
    private final Set<Class<?>> known = new HashSet<>();

    Loops() {
      super(1);
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
