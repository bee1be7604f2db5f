package dev.holdfast.redis;

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
 * The threads that all stores of this JVM share; they end with the last store that uses them. One
 * thread has all connections of a client: the message that its turn has come and the question that
 * follows then take no change of threads. Any threads.
 */
final class Threads {

  // A lease must not be lost because the client rests between two attempts: Lettuce's own limit is
  // 30 s.
  private static final Duration LONGEST_REST = Duration.ofMillis(500);
  private static final int COMPUTATION_THREADS = 2;

  private static final ReentrantLock MUTEX = new ReentrantLock();
  private static final List<Threads> ALL = List.of(new Threads(), new Threads());

  // Mutable state, guarded by MUTEX
  private @Nullable ClientResources shared;
  private int users;

  private Threads() {}

  /** Those that the fewest use. */
  static Threads take() {
    MUTEX.lock();
    try {
      Threads threads = Collections.min(ALL, Comparator.comparingInt(some -> some.users));
      threads.users++;
      return threads;
    } finally {
      MUTEX.unlock();
    }
  }

  /** For a client of whoever has taken them. */
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
                            Duration.ofMillis(1), LONGEST_REST, 10, TimeUnit.MILLISECONDS))
                .build();
        shared = resources;
      }
      return resources;
    } finally {
      MUTEX.unlock();
    }
  }

  void giveBack() {
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
   * The thread of connections. Lettuce ends it with the last client that uses it, and may hand it
   * out to the next one in the same moment. So it counts one use more.
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
