package dev.holdfast.spi;

import dev.holdfast.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The observers of each lock, for stores to answer {@link LockStore#observe} with. Keeps nothing
 * for a lock without observers. Thread-safe.
 */
public final class Observers {

  // Nearly always one, so a list that is never changed is cheap.
  private final ConcurrentHashMap<String, List<Runnable>> wakes = new ConcurrentHashMap<>();

  /** Nobody yet. */
  public Observers() {}

  /** See {@link LockStore#observe}. */
  public Registration add(String lock, Runnable wake) {
    List<Runnable> alone = List.of(wake);
    if (wakes.putIfAbsent(lock, alone) != null) {
      wakes.merge(lock, alone, Observers::plus);
    }
    return () -> {
      if (!wakes.remove(lock, alone)) {
        wakes.computeIfPresent(lock, (name, some) -> minus(some, wake));
      }
    };
  }

  /** {@return whether anybody wants hints about this lock} */
  public boolean has(String lock) {
    return wakes.containsKey(lock);
  }

  /** Hints to those who observe this lock, on this thread. */
  public void wake(String lock) {
    wakes.getOrDefault(lock, List.of()).forEach(Runnable::run);
  }

  /** Hints to everybody: something may have happened unseen. */
  public void wakeAll() {
    wakes.values().forEach(some -> some.forEach(Runnable::run));
  }

  /** Forgets everybody. */
  public void clear() {
    wakes.clear();
  }

  private static List<Runnable> plus(List<Runnable> some, List<Runnable> more) {
    List<Runnable> result = new ArrayList<>(some);
    result.addAll(more);
    return result;
  }

  private static @Nullable List<Runnable> minus(List<Runnable> some, Runnable wake) {
    List<Runnable> result = new ArrayList<>(some);
    result.remove(wake);
    return result.isEmpty() ? null : result;
  }
}
