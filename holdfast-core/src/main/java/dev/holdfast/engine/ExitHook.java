package dev.holdfast.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gives back the claims that clients keep idle when the JVM ends: a process that has closed its
 * leases leaves nothing behind. Bounded by {@value #MOST_MILLIS} ms. Thread-safe.
 */
final class ExitHook {

  private static final long MOST_MILLIS = 1000;

  private static final ReentrantLock MUTEX = new ReentrantLock();

  /** Weak: a client that was never closed can be collected. */
  private static final Set<Engine> ENGINES = Collections.newSetFromMap(new WeakHashMap<>());

  // Mutable state, guarded by MUTEX
  private static @Nullable Thread hook; // only while there are clients: it keeps its class loader

  private ExitHook() {}

  static void add(Engine engine) {
    change(() -> ENGINES.add(engine));
  }

  static void remove(Engine engine) {
    change(() -> ENGINES.remove(engine));
  }

  private static void change(Runnable step) {
    MUTEX.lock();
    try {
      step.run();
      if (ENGINES.isEmpty() == (hook == null)) {
        return;
      }
      Thread last = hook;
      hook = last == null ? new Thread(ExitHook::giveBack, "holdfast-exit") : null;
      if (last == null) {
        Runtime.getRuntime().addShutdownHook(hook);
      } else {
        Runtime.getRuntime().removeShutdownHook(last);
      }
    } catch (IllegalStateException ending) {
      // the JVM ends already: what is kept from here on ends by its ttl
    } finally {
      MUTEX.unlock();
    }
  }

  private static List<Engine> engines() {
    MUTEX.lock();
    try {
      return new ArrayList<>(ENGINES);
    } finally {
      MUTEX.unlock();
    }
  }

  private static void giveBack() {
    List<CompletableFuture<Boolean>> leaves = new ArrayList<>();
    engines().forEach(engine -> leaves.addAll(engine.giveBackKept()));
    try {
      CompletableFuture.allOf(leaves.toArray(CompletableFuture[]::new))
          .get(MOST_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException unanswered) {
      // they end by their ttl
    }
  }
}
