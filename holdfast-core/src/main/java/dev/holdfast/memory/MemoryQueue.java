package dev.holdfast.memory;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.Registration;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock: the model as code. Not thread-safe; {@link MemorySpace} runs one step at a
 * time.
 */
final class MemoryQueue {

  private final String name;

  // Mutable state
  private Ticker ticker;
  private final List<Entry> entries = new ArrayList<>(1);
  private List<MemoryLockStore> woken = List.of();
  private Kind kind = Kind.MUTEX;
  private int capacity = 1;
  private long lastToken;
  private boolean raised;
  private long now;
  private Registration sweep = Registration.NONE;

  MemoryQueue(String name, long lastToken, boolean raised, Ticker ticker) {
    this.name = name;
    this.ticker = ticker;
    this.lastToken = lastToken;
    this.raised = raised;
  }

  /** Reads the caller's clock once for the step and removes the expired. */
  void begin(Ticker caller) {
    ticker = caller;
    now = ticker.nanoTime();
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (entries.get(i).until - now <= 0) {
        entries.remove(i);
      }
    }
  }

  JoinAnswer join(Claim claim, boolean wait, MemoryLockStore via) {
    note(claim);
    Entry known = find(claim);
    if (known != null) {
      return known.left ? new Busy(null) : rearm(known, claim, via);
    }
    if (entries.isEmpty()) {
      kind = claim.kind();
      capacity = claim.capacity();
    } else if (kind != claim.kind() || capacity != claim.capacity()) {
      return new Mismatch(kind, capacity);
    }
    long ahead = weightAhead(null);
    if (Admission.fits(ahead, claim.weight(), capacity)) {
      Entry entry = new Entry(claim, via, now, now + claim.ttl().toNanos());
      entries.add(entry);
      return grant(entry, claim);
    }
    if (!wait) {
      return new Busy(entries.get(0).claim.owner());
    }
    entries.add(new Entry(claim, via, now, now + claim.waitingTtl().toNanos()));
    return new Queued(entries.size() - 1);
  }

  Standing refresh(Claim claim, MemoryLockStore via) {
    Entry entry = find(claim);
    if (entry == null || entry.left) {
      return Gone.GONE;
    }
    note(claim);
    return (Standing) rearm(entry, claim, via);
  }

  Left leave(Claim claim, Duration linger) {
    Entry entry = find(claim);
    if (entry == null || entry.left) {
      return Left.GONE;
    }
    if (entry.token != 0 && !linger.isZero()) {
      entry.left = true;
      entry.until = now + linger.toNanos();
    } else {
      entries.remove(entry);
    }
    return Left.LEFT;
  }

  boolean evict(long token) {
    List<Entry> ended = entries.stream().filter(entry -> isNamed(entry, token)).toList();
    ended.forEach(this::wake);
    return entries.removeAll(ended);
  }

  private boolean isNamed(Entry entry, long token) {
    if (entry.token == 0) {
      return false;
    }
    return token == LockStore.ANY_TOKEN
        || token == entry.token
        || (entry.claim.mode() == Mode.EXCLUSIVE && token > entry.token && token <= lastToken);
  }

  LockInfo inspect() {
    List<ClaimInfo> holders = new ArrayList<>();
    List<ClaimInfo> waiters = new ArrayList<>();
    for (Entry entry : entries) {
      (entry.token != 0 ? holders : waiters).add(entry.info(now, lastToken));
    }
    return entries.isEmpty()
        ? LockInfo.free(name)
        : new LockInfo(name, kind, capacity, holders, waiters);
  }

  /** Grants whoever fits now, in queue order. The ttl is left alone: the refresh re-arms it. */
  void promote() {
    long ahead = 0;
    for (Entry entry : entries) {
      if (!Admission.fits(ahead, entry.claim.weight(), capacity)) {
        return;
      }
      ahead += entry.claim.weight();
      if (entry.token == 0) {
        entry.token = nextToken(entry.claim);
        entry.since = now;
        wake(entry);
      }
    }
  }

  private void wake(Entry entry) {
    if (woken.isEmpty()) {
      woken = new ArrayList<>(1);
    }
    woken.add(entry.via);
  }

  List<MemoryLockStore> takeWoken() {
    List<MemoryLockStore> result = woken;
    woken = List.of();
    return result;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  long lastToken() {
    return lastToken;
  }

  /** Whether a floor has raised the tokens of this lock above the clock. */
  boolean isRaised() {
    return raised;
  }

  /** While somebody waits or has left, the next expiry is acted on when it comes. */
  void scheduleSweep(MemoryLockStore caller, Consumer<MemoryLockStore> task) {
    sweep.close();
    sweep = Registration.NONE;
    boolean quiet = true; // holders only: they come back themselves
    for (Entry entry : entries) {
      quiet &= entry.token != 0 && !entry.left;
    }
    if (quiet) {
      return;
    }
    long next = Long.MAX_VALUE;
    MemoryLockStore by = caller;
    for (int i = entries.size() - 1; i >= 0; i--) {
      Entry entry = entries.get(i);
      next = Math.min(next, entry.until - now);
      if (entry.token == 0) { // by the timer of who waits: that of who has left may be closed
        by = entry.via;
      }
    }
    MemoryLockStore sweeper = by;
    sweep = by.ticker().schedule(Duration.ofNanos(next), () -> task.accept(sweeper));
  }

  private JoinAnswer rearm(Entry entry, Claim claim, MemoryLockStore via) {
    entry.via = via;
    // A weight may only be lowered: raising it could break into what others hold.
    entry.claim =
        claim.weight() <= entry.claim.weight() ? claim : claim.weighing(entry.claim.weight());
    if (entry.token == 0) {
      promote();
    }
    if (entry.token == 0) {
      entry.until = now + claim.waitingTtl().toNanos();
      return new Queued(entries.indexOf(entry));
    }
    entry.until = now + claim.ttl().toNanos();
    return new Granted(entry.token, reserve(claim));
  }

  private Granted grant(Entry entry, Claim claim) {
    entry.token = nextToken(claim);
    return new Granted(entry.token, reserve(claim));
  }

  /** The clock is asked once: whatever the space has given out since then is known to it. */
  private long nextToken(Claim claim) {
    long clock = lastToken == 0 ? ticker.wallMicros() : 0;
    lastToken = Tokens.next(name, lastToken, clock, claim.floor());
    return lastToken;
  }

  private void note(Claim claim) {
    if (claim.floor() > lastToken) { // seldom, and a reading of the clock takes its time
      long noted = Tokens.noted(lastToken, ticker.wallMicros(), claim.floor());
      raised |= noted > lastToken;
      lastToken = noted;
    }
  }

  private Tokens reserve(Claim claim) {
    if (claim.spares() == 0) {
      return Tokens.NONE;
    }
    Tokens spares = Tokens.reserve(name, lastToken, claim.floor(), claim.spares());
    lastToken = spares.last();
    return spares;
  }

  private long weightAhead(@Nullable Entry until) {
    long sum = 0;
    for (Entry entry : entries) {
      if (entry == until) {
        break;
      }
      sum += entry.claim.weight();
    }
    return sum;
  }

  private @Nullable Entry find(Claim claim) {
    for (Entry entry : entries) {
      if (entry.claim.id().equals(claim.id())) {
        return entry;
      }
    }
    return null;
  }

  /** A claim with what the store has recorded of it. */
  private static final class Entry {
    // Mutable state
    MemoryLockStore via; // where its client is, which may change
    long since;
    Claim claim;
    long until;
    long token;
    boolean left;

    Entry(Claim claim, MemoryLockStore via, long since, long until) {
      this.claim = claim;
      this.via = via;
      this.since = since;
      this.until = until;
    }

    ClaimInfo info(long now, long lastToken) {
      return new ClaimInfo(
          claim.owner(),
          claim.mode(),
          claim.weight(),
          token,
          token == 0 ? 0 : lastToken,
          Duration.ofNanos(now - since),
          Duration.ofNanos(until - now),
          claim.value());
    }
  }
}
