package dev.holdfast.consul;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Claims of several locks that one transaction has read, each once. */
final class Found {

  private final Map<String, Map<String, Stored>> byLock = new HashMap<>();
  private final Keys keys;

  private Found(Keys keys) {
    this.keys = keys;
  }

  static Found of(Collection<Stored> all, Keys keys) {
    Found found = new Found(keys);
    for (Stored one : all) {
      found
          .byLock
          .computeIfAbsent(keys.lock(one.key()), lock -> new HashMap<>())
          .put(one.key(), one);
    }
    return found;
  }

  /** Those of a lock whose whole queue was read. */
  Queue queue(String lock) {
    return Queue.of(byLock.getOrDefault(lock, Map.of()).values());
  }

  @Nullable Stored key(String key) {
    return byLock.getOrDefault(keys.lock(key), Map.of()).get(key);
  }

  List<String> locks() {
    return byLock.keySet().stream().sorted().toList();
  }
}
