package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.Event;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
  private final ConcurrentHashMap<ByteString, Hint> hints = new ConcurrentHashMap<>();

  Hints(Keys keys, Watches watches, Observers observers) {
    this.keys = keys;
    this.watches = watches;
    this.observers = observers;
  }

  void watch(Claim claim, Queue queue, int index) {
    Entry last = queue.entries().get(index - 1);
    boolean needsAll = claim.weight() == claim.capacity();
    ByteString first = needsAll ? last.key() : keys.first(claim.lock());
    ByteString after = needsAll ? Keys.justAfter(last.key()) : keys.after(claim.lock());
    ByteString key = keys.claim(claim);
    Hint known = hints.get(key);
    if (known != null && known.first.equals(first)) {
      return;
    }
    Hint hint = new Hint(key, claim, first, needsAll);
    for (Entry ahead : queue.entries().subList(0, index)) {
      hint.ahead.put(ahead.key(), ahead.weight());
    }
    Hint before = hints.put(key, hint);
    if (before != null) {
      watches.remove(before);
    }
    watches.add(hint, first, after, queue.revision() + 1);
    if (hints.get(key) != hint) { // the claim has left meanwhile
      watches.remove(hint);
    }
  }

  void drop(ByteString key) {
    Hint hint = hints.remove(key);
    if (hint != null) {
      watches.remove(hint);
    }
  }

  private final class Hint implements Watches.Listener {
    private final ByteString key;
    private final String lock;
    private final ByteString first;
    private final boolean needsAll;
    private final long room;

    // Mutable state: events come one after the other
    private final Map<ByteString, Integer> ahead = new HashMap<>();

    Hint(ByteString key, Claim claim, ByteString first, boolean needsAll) {
      this.key = key;
      this.lock = claim.lock();
      this.first = first;
      this.needsAll = needsAll;
      this.room = (long) claim.capacity() - claim.weight();
    }

    @Override
    public void happened(Event event) {
      ByteString changed = event.getKv().getKey();
      if (event.getType() == Event.EventType.DELETE) {
        ahead.remove(changed);
      } else if (ahead.containsKey(changed)) {
        ahead.put(changed, Entry.of(event.getKv()).weight());
      } else {
        return;
      }
      boolean gone = needsAll && event.getType() == Event.EventType.DELETE;
      long sum = ahead.values().stream().mapToLong(Integer::longValue).sum();
      if (gone || (!needsAll && sum <= room)) {
        observers.wake(lock);
      }
    }

    @Override
    public void interrupted() {
      observers.wake(lock);
    }

    @Override
    public void ended() {
      hints.remove(key, this); // the next answer to the waiter makes another
      observers.wake(lock);
    }
  }
}
