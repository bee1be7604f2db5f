package dev.holdfast.redis;

import dev.holdfast.StoreException;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * One walk through the keys of a node, a page at a time; keeps only the first names. A step starts
 * when the one before has ended.
 */
final class RedlockWalk {

  private static final int PAGE = 1_000;

  // What a failed attempt left on a few nodes must not crowd out what is held.
  private static final int SPARE = 100;

  private final RedlockNode node;
  private final RedlockNodes nodes;
  private final String prefix;
  private final int limit;
  private final long start;
  private final ScanArgs args;
  private final CompletableFuture<TreeSet<String>> result = new CompletableFuture<>();

  // Mutable state, of one step at a time
  private final TreeSet<String> found = new TreeSet<>();

  RedlockWalk(RedlockNode node, RedlockNodes nodes, String prefix, int limit) {
    this.node = node;
    this.nodes = nodes;
    this.prefix = prefix;
    this.limit = limit > Integer.MAX_VALUE - SPARE ? Integer.MAX_VALUE : limit + SPARE;
    this.start = nodes.ticker().nanoTime();
    this.args = ScanArgs.Builder.limit(PAGE).match(nodes.keys().pattern(prefix));
  }

  CompletableFuture<TreeSet<String>> names() {
    next(ScanCursor.INITIAL);
    return result;
  }

  private void next(ScanCursor cursor) {
    Duration bound = nodes.timeout().multipliedBy(2);
    if (nodes.ticker().nanoTime() - start > bound.toNanos()) {
      result.completeExceptionally(
          new StoreException("", "Walking through the keys took longer than " + bound));
      return;
    }
    CompletableFuture<Link> link = node.connect();
    if (!link.isDone()) {
      result.completeExceptionally(new StoreException("", "No connection to " + node.url()));
      return;
    }
    var unused =
        link.thenCompose(
                open -> open.calls().send("listing", "", () -> open.commands().scan(cursor, args)))
            .thenAccept(this::turn)
            .exceptionally(
                failure -> {
                  result.completeExceptionally(failure);
                  return null;
                });
  }

  private void turn(KeyScanCursor<String> page) {
    for (String key : page.getKeys()) {
      String name = nodes.keys().name(key);
      if (name != null && name.startsWith(prefix)) {
        found.add(name);
      }
      if (found.size() > limit) {
        found.pollLast();
      }
    }
    if (page.isFinished()) {
      result.complete(found);
    } else {
      next(page);
    }
  }
}
