package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.Event;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells holders when their key is deleted, by hand or with its lease.
 *
 * <p>Each key is watched, but only once it has been held for a while: most locks are released
 * before that, and taking and releasing a lock costs no message more. Nothing is missed thereby,
 * because a watch begins at the revision at which its key was last seen.
 */
final class Grants {

  private static final Duration A_WHILE = Duration.ofMillis(500);

  private final Watches watches;
  private final Observers observers;
  private final Ticker ticker;
  private final ConcurrentHashMap<ClaimKey, Grant> grants = new ConcurrentHashMap<>();
  private final Queue<Grant> unwatched = new ConcurrentLinkedQueue<>(); // the oldest first
  private final AtomicBoolean planned = new AtomicBoolean();

  Grants(Watches watches, Observers observers, Ticker ticker) {
    this.watches = watches;
    this.observers = observers;
    this.ticker = ticker;
  }

  /** It is granted, and was there at this revision. */
  void seen(Claim claim, Seat seat, long revision) {
    ClaimKey key = ClaimKey.of(claim);
    Grant known = grants.get(key);
    if (known != null && known.seat.equals(seat.key())) {
      watches.reached(known, revision + 1);
      return;
    }
    drop(claim);
    Grant grant = new Grant(key, seat.key(), revision, ticker.nanoTime());
    grants.put(key, grant);
    unwatched.add(grant);
    plan();
  }

  void drop(Claim claim) {
    Grant grant = grants.remove(ClaimKey.of(claim));
    if (grant != null) {
      watches.remove(grant);
    }
  }

  private void plan() {
    if (planned.compareAndSet(false, true)) {
      var unused = ticker.schedule(A_WHILE, this::watch);
    }
  }

  private void watch() {
    planned.set(false); // first: whoever comes from now on plans the next look
    long now = ticker.nanoTime();
    Grant next = unwatched.peek();
    while (next != null && now - next.since >= A_WHILE.toNanos()) {
      if (unwatched.remove(next)) {
        next.watch();
      }
      next = unwatched.peek();
    }
    if (next != null) {
      plan();
    }
  }

  /** One key. */
  private final class Grant implements Watch.Listener {
    private final ClaimKey key;
    private final ByteString seat;
    private final long revision;
    private final long since;

    Grant(ClaimKey key, ByteString seat, long revision, long since) {
      this.key = key;
      this.seat = seat;
      this.revision = revision;
      this.since = since;
    }

    void watch() {
      if (grants.get(key) == this) {
        watches.add(this, Scope.deletionOf(seat), revision + 1);
        if (grants.get(key) != this) { // the claim has left meanwhile
          watches.remove(this);
        }
      }
    }

    private void end() {
      grants.remove(key, this);
      watches.remove(this);
    }

    @Override
    public void happened(Event event) {
      end();
      observers.wake(key.lock());
    }

    /** Nothing to do: the next stream goes on where this one broke. */
    @Override
    public void interrupted() {}

    @Override
    public void forgotten() {
      end();
      observers.wake(key.lock());
    }

    /** The next renewal finds it without a watch and makes another one. */
    @Override
    public void refused() {
      end();
    }
  }
}
