package dev.holdfast.etcd;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Observers;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells waiters when their turn may have come.
 *
 * <p>Who needs the whole capacity waits until all ahead have gone, so it watches the last of them
 * only. Others may fit as soon as anyone ahead leaves or takes less: they watch the queue and
 * reckon, so that they ask only when it is worth it. Nobody can come in ahead.
 */
final class Hints {

  private final Keys keys;
  private final Watches watches;
  private final Observers observers;
  private final ConcurrentHashMap<ClaimKey, Hint> hints = new ConcurrentHashMap<>();

  Hints(Keys keys, Watches watches, Observers observers) {
    this.keys = keys;
    this.watches = watches;
    this.observers = observers;
  }

  void watch(Claim claim, Queue queue, int index) {
    Entry last = queue.entries().get(index - 1);
    boolean needsAll = claim.weight() == claim.capacity();
    Scope scope =
        needsAll
            ? Scope.deletionOf(last.key())
            : new Scope(keys.first(claim.lock()), keys.after(claim.lock()), false);
    ClaimKey key = ClaimKey.of(claim);
    Hint known = hints.get(key);
    Entry waiter = queue.entries().get(index);
    if (known != null && known.serves(waiter, scope)) {
      known.seen(waiter);
      if (scope.deletionsOnly()) { // what it waits for was there then
        watches.reached(known, queue.revision() + 1);
      }
      return;
    }
    List<Entry> ahead = queue.entries().subList(0, index);
    Hint hint = new Hint(claim, scope, waiter, ahead, () -> wake(claim));
    Hint before = hints.put(key, hint);
    if (before != null) {
      watches.remove(before);
    }
    watches.add(hint, scope, queue.revision() + 1);
    if (hints.get(key) != hint) { // the claim has left meanwhile
      watches.remove(hint);
    }
  }

  /** The waiter as it was last seen, if nobody may be ahead of it any more; or null. */
  @Nullable Entry next(Claim claim) {
    Hint hint = hints.get(ClaimKey.of(claim));
    return hint == null ? null : hint.next();
  }

  void drop(Claim claim) {
    Hint hint = hints.remove(ClaimKey.of(claim));
    if (hint != null) {
      watches.remove(hint);
    }
  }

  private void wake(Claim claim) {
    observers.wake(claim.lock());
  }
}
