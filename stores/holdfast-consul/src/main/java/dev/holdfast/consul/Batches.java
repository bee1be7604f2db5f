package dev.holdfast.consul;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Asks for many things, in as many requests as it takes, and collects the answers. */
final class Batches {

  private Batches() {}

  /** In parts of at most that size, side by side. */
  static <K, V> CompletableFuture<Map<K, V>> inParts(
      Collection<K> all, int size, Function<List<K>, CompletableFuture<Map<K, V>>> request) {
    List<K> items = List.copyOf(all);
    CompletableFuture<Map<K, V>> answers = CompletableFuture.completedFuture(new HashMap<>());
    for (int i = 0; i < items.size(); i += size) {
      List<K> part = items.subList(i, Math.min(items.size(), i + size));
      answers = answers.thenCombine(request.apply(part), Batches::plus);
    }
    return answers;
  }

  /** One by one, side by side. */
  static <K, V> CompletableFuture<Map<K, V>> each(
      Collection<K> all, Function<K, CompletableFuture<V>> request) {
    return inParts(
        all, 1, one -> request.apply(one.get(0)).thenApply(answer -> Map.of(one.get(0), answer)));
  }

  private static <K, V> Map<K, V> plus(Map<K, V> map, Map<K, V> more) {
    map.putAll(more);
    return map;
  }
}
