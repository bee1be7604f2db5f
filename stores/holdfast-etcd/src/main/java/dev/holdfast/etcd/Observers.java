package dev.holdfast.etcd;

import dev.holdfast.Registration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Who wants a hint about which lock. Keeps nothing for a lock that nobody observes. */
final class Observers {

  private final ConcurrentHashMap<String, Set<Runnable>> wakes = new ConcurrentHashMap<>();

  Registration add(String lock, Runnable wake) {
    wakes.compute(
        lock,
        (name, known) -> {
          Set<Runnable> set = known == null ? ConcurrentHashMap.newKeySet(1) : known;
          set.add(wake);
          return set;
        });
    return () ->
        wakes.computeIfPresent(
            lock,
            (name, set) -> {
              set.remove(wake);
              return set.isEmpty() ? null : set;
            });
  }

  void wake(String lock) {
    Set<Runnable> set = wakes.get(lock);
    if (set != null) {
      set.forEach(Runnable::run);
    }
  }

  void clear() {
    wakes.clear();
  }
}
