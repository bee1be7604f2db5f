package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.Event;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reckons from what happens ahead of a waiter whether it is worth asking. Any threads: while a
 * stream of watches is replaced, both may speak.
 */
final class Hint implements Watch.Listener {

  private final Scope scope;
  private final boolean needsAll;
  private final long room;
  private final Runnable wake;
  private final Map<ByteString, Integer> ahead = new ConcurrentHashMap<>();

  // Mutable state
  private volatile Entry waiter;
  private volatile boolean due;
  private volatile boolean ended;

  /**
   * For a waiter.
   *
   * @param scope of its watch
   * @param waiter itself, as it was last seen
   * @param ahead who is before it
   */
  Hint(Claim claim, Scope scope, Entry waiter, List<Entry> ahead, Runnable wake) {
    this.waiter = waiter;
    this.scope = scope;
    this.needsAll = claim.weight() == claim.capacity();
    this.room = (long) claim.capacity() - claim.weight();
    this.wake = wake;
    ahead.forEach(entry -> this.ahead.put(entry.key(), entry.weight()));
  }

  /** Whether it will hear this, for the same waiter: one that has joined anew is behind others. */
  boolean serves(Entry now, Scope wanted) {
    return !ended && scope.equals(wanted) && waiter.created() == now.created();
  }

  /** The waiter is still there, and still behind the same. */
  void seen(Entry now) {
    waiter = now;
  }

  /** The waiter as it was last seen, if it needs the whole capacity and may have it now. */
  @Nullable Entry next() {
    return due ? waiter : null;
  }

  @Override
  public void happened(Event event) {
    ByteString changed = event.getKv().getKey();
    boolean deleted = event.getType() == Event.EventType.DELETE;
    Integer before =
        deleted ? ahead.remove(changed) : ahead.computeIfPresent(changed, (key, old) -> now(event));
    if (before == null) {
      return;
    }
    long sum = ahead.values().stream().mapToLong(Integer::longValue).sum();
    if (needsAll ? deleted : sum <= room) {
      due = needsAll;
      wake.run();
    }
  }

  /** The weight that it takes now; none if that cannot be read: whoever asks will be told. */
  private static int now(Event event) {
    try {
      return Entry.of(event.getKv()).weight();
    } catch (StoreException unreadable) {
      return 0;
    }
  }

  @Override
  public void interrupted() {
    wake.run();
  }

  @Override
  public void forgotten() {
    ended = true;
    wake.run();
  }

  /** It waits for its renewals, which tell as well. */
  @Override
  public void refused() {
    ended = true;
  }
}
