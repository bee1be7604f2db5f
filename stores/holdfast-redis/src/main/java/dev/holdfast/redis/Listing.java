package dev.holdfast.redis;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Finds the locks in use. Redis has no order of keys: all of them are walked through, a page at a
 * time, and only as many locks are kept as were asked for.
 */
final class Listing {

  private static final int PAGE = 1_000;

  private final Link link;
  private final Keys keys;
  private final Verbs verbs;
  private final Ticker ticker;
  private final Duration timeout;

  Listing(Link link, Keys keys, Verbs verbs, StoreSettings settings) {
    this.ticker = settings.ticker();
    this.timeout = settings.operationTimeout();
    this.link = link;
    this.keys = keys;
    this.verbs = verbs;
  }

  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    if (limit <= 0) {
      return CompletableFuture.completedFuture(List.of());
    }
    Walk walk = new Walk(prefix, limit);
    walk.next(ScanCursor.INITIAL);
    return walk.result;
  }

  /** One walk through the keys; a step starts when the one before has ended. */
  private final class Walk {
    private final String prefix;
    private final int limit;
    private final long start = ticker.nanoTime();
    private final ScanArgs args;
    private final CompletableFuture<List<LockInfo>> result = new CompletableFuture<>();

    // Mutable state, of one step at a time
    private final TreeMap<String, LockInfo> found = new TreeMap<>();

    Walk(String prefix, int limit) {
      this.prefix = prefix;
      this.limit = limit;
      this.args = ScanArgs.Builder.limit(PAGE).match(keys.pattern(prefix));
    }

    void next(ScanCursor cursor) {
      if (ticker.nanoTime() - start > timeout.toNanos()) {
        result.completeExceptionally(
            new StoreException(
                "",
                "Walking through the keys took longer than " + timeout + "; nothing is listed."));
        return;
      }
      var unused =
          link.calls()
              .send("listing", "", () -> link.commands().scan(cursor, args))
              .thenCompose(page -> verbs.look(wanted(page)).thenAccept(infos -> turn(page, infos)))
              .exceptionally(
                  failure -> {
                    result.completeExceptionally(failure);
                    return null;
                  });
    }

    private List<String> wanted(KeyScanCursor<String> page) {
      List<String> names = new ArrayList<>();
      for (String key : page.getKeys()) {
        String name = keys.name(key);
        boolean mayBeIn =
            found.size() < limit || (name != null && name.compareTo(found.lastKey()) < 0);
        if (name != null && name.startsWith(prefix) && mayBeIn) {
          names.add(name);
        }
      }
      return names;
    }

    private void turn(KeyScanCursor<String> page, List<LockInfo> infos) {
      for (LockInfo info : infos) {
        if (info.isHeld() || !info.waiters().isEmpty()) {
          found.put(info.name(), info);
        }
      }
      while (found.size() > limit) {
        found.pollLastEntry();
      }
      if (page.isFinished()) {
        result.complete(List.copyOf(found.values()));
      } else {
        next(page);
      }
    }
  }
}
