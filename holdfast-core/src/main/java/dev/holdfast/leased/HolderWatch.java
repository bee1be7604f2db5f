package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The granted claims. Notices when the key of one is deleted, by hand or with its lease, and when
 * another claim waits behind one that is keepable. A key is watched only after it was held for a
 * while, which misses nothing: the watch begins at the revision at which the key was last seen.
 *
 * <p>Thread-safe.
 */
public final class HolderWatch {

  private static final Duration DELAY = Duration.ofMillis(500);

  private final KeyWatches watches;
  private final Observers observers;
  private final ClaimRegistry registry;
  private final WantedWatch wanted;
  private final DelayedWatch<Holder> delayed;
  private final ConcurrentHashMap<ClaimKey, Holder> holders = new ConcurrentHashMap<>();

  HolderWatch(KeyWatches watches, Observers observers, ClaimRegistry registry, Ticker ticker) {
    this.watches = watches.ofHolders();
    this.observers = observers;
    this.registry = registry;
    this.wanted = new WantedWatch(this.watches, observers);
    this.delayed = new DelayedWatch<>(ticker, DELAY, Holder::watch);
  }

  /**
   * The claim is granted, and was there at this revision. If it is keepable, no claim waited behind
   * it then.
   *
   * @param isWanted see {@link Granted#wanted}
   * @return the grant, with its spare tokens
   */
  public Granted granted(Claim claim, Place place, long revision, boolean isWanted) {
    ClaimKey key = new ClaimKey(claim.lock(), claim.id());
    watch(key, place.key(), revision);
    if (claim.keepable() && !isWanted) {
      wanted.watch(key, place, revision);
      if (registry.isEnding(claim)) { // it has left while the answer was on its way
        wanted.drop(key);
      }
    }
    return registry.granted(key, claim, place, isWanted);
  }

  private void watch(ClaimKey claim, String key, long revision) {
    Holder holder = new Holder(claim, key, revision);
    Holder known = holders.putIfAbsent(claim, holder);
    if (known != null && known.key.equals(key)) {
      watches.reached(known, revision + 1);
      return;
    }
    if (known != null && holders.replace(claim, known, holder)) {
      watches.remove(known);
    }
    delayed.add(holder);
  }

  /**
   * @return true if the claim was keepable by the last answer: whether another one waits must be
   *     said when that ends
   */
  boolean isKeepable(Claim claim) {
    return wanted.contains(ClaimKey.of(claim));
  }

  /** The claim is not keepable any more. */
  void endKeepable(Claim claim) {
    wanted.drop(ClaimKey.of(claim));
  }

  /** The claim has ended. */
  void drop(ClaimKey claim) {
    wanted.drop(claim);
    Holder holder = holders.remove(claim);
    if (holder != null) {
      watches.remove(holder);
    }
  }

  /** A granted claim. */
  private final class Holder implements KeyWatches.Listener {
    private final ClaimKey claim;
    private final String key;
    private final long revision;

    Holder(ClaimKey claim, String key, long revision) {
      this.claim = claim;
      this.key = key;
      this.revision = revision;
    }

    void watch() {
      if (holders.get(claim) == this) {
        watches.add(this, new KeyWatches.Target(claim.lock(), key), revision + 1);
        if (holders.get(claim) != this) { // the claim has left meanwhile
          watches.remove(this);
        }
      }
    }

    private void end() {
      holders.remove(claim, this);
      watches.remove(this);
    }

    @Override
    public void deleted(String deleted) {
      missed();
    }

    /** Its own changes; a deletion is all that matters. */
    @Override
    public void changed(StoredKey now) {}

    @Override
    public boolean found(Collection<StoredKey> now) {
      if (now.isEmpty()) {
        missed();
      }
      return now.isEmpty();
    }

    /** The watch that is opened again misses nothing. */
    @Override
    public void interrupted() {}

    @Override
    public void missed() {
      end();
      observers.wake(claim.lock());
    }

    /** The next renewal finds the claim without a watch and adds another one. */
    @Override
    public void refused() {
      end();
    }
  }

  /**
   * Delays the watch of a granted claim: most locks are released so soon that a watch would cost
   * more than the lock. One timer serves all claims. Thread-safe.
   *
   * @param <T> a claim; the caller checks whether it is still held
   */
  public static final class DelayedWatch<T> {

    private final Ticker ticker;
    private final Duration delay;
    private final Consumer<T> afterwards;
    private final Queue<Delayed<T>> delayed = new ConcurrentLinkedQueue<>(); // the oldest first
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private record Delayed<T>(T claim, long since) {}

    /**
     * @param afterwards called with each claim after the delay, on the ticker's thread
     */
    public DelayedWatch(Ticker ticker, Duration delay, Consumer<T> afterwards) {
      this.ticker = ticker;
      this.delay = delay;
      this.afterwards = afterwards;
    }

    /** A claim that was granted just now. */
    public void add(T claim) {
      delayed.add(new Delayed<>(claim, ticker.nanoTime()));
      schedule();
    }

    private void schedule() {
      if (!delayed.isEmpty() && scheduled.compareAndSet(false, true)) {
        var unused = ticker.schedule(delay, this::look);
      }
    }

    private void look() {
      scheduled.set(false); // first: a claim added from now on schedules the next look
      long now = ticker.nanoTime();
      Delayed<T> next = delayed.peek();
      while (next != null && now - next.since >= delay.toNanos()) {
        if (delayed.remove(next)) { // another look may run at the same time
          afterwards.accept(next.claim);
        }
        next = delayed.peek();
      }
      schedule();
    }
  }
}
