package dev.holdfast.spi.support;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
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
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock: the model as code, without storage. Each step begins with {@link #settle};
 * then come the verbs, which answer as {@link LockStore} specifies.
 *
 * <p>Not thread-safe.
 *
 * @param <R> what the store records of a claim
 */
public final class ClaimQueue<R extends ClaimRecord> {

  private final String lock;
  private final QueueClock clock;
  private final Function<Claim, R> newRecord;
  private final List<R> claims = new ArrayList<>(1);
  private final List<R> tombstones = new ArrayList<>(0);
  private final List<R> removed = new ArrayList<>(0);
  private final List<R> promoted = new ArrayList<>(0);
  private @Nullable R wanted;

  // Mutable state
  private Kind kind = Kind.MUTEX;
  private int capacity = 1;
  private long lastToken;

  /**
   * An empty queue.
   *
   * @param newRecord makes the record of a claim that joins, or of its tombstone
   */
  public ClaimQueue(String lock, QueueClock clock, Function<Claim, R> newRecord) {
    this.lock = lock;
    this.clock = clock;
    this.newRecord = newRecord;
  }

  /** Sets what was read of the lock as a whole. */
  public void restore(Kind storedKind, int storedCapacity, long storedLastToken) {
    kind = storedKind;
    capacity = storedCapacity;
    lastToken = storedLastToken;
  }

  /** Adds a record that was read; they come in queue order. */
  public void add(R record) {
    (record.state() == ClaimRecord.State.TOMBSTONE ? tombstones : claims).add(record);
  }

  /** Begins a step: removes expired claims, then grants the claims that fit. */
  public void settle() {
    removed.clear();
    promoted.clear();
    wanted = null;
    removeExpired(claims);
    removeExpired(tombstones);
    promote();
  }

  /** Joins, or repeats a join. */
  public JoinAnswer join(Claim claim, boolean wait) {
    note(claim);
    if (find(tombstones, claim.id()) != null) {
      return new Busy(null);
    }
    R known = find(claim.id());
    if (known != null) {
      return known.isLive() ? rearm(known, claim) : new Busy(null);
    }
    if (claims.isEmpty()) {
      kind = claim.kind();
      capacity = claim.capacity();
    } else if (kind != claim.kind() || capacity != claim.capacity()) {
      return new Mismatch(kind, capacity);
    }
    if (Admission.fits(totalWeight(), claim.weight(), capacity)) {
      R record = enter(claim, claim.ttl());
      grant(record);
      return new Granted(record.token(), reserve(claim));
    }
    boolean keepable = claims.size() == 1 && isKeepable(claims.get(0));
    if (!wait && !keepable) {
      return new Busy(claims.get(0).owner());
    }
    wanted = keepable ? claims.get(0) : null; // once: later claims are not the first to wait
    enter(claim, claim.waitingTtl());
    return new Queued(claims.size() - 1, keepable);
  }

  /** Renews a claim, holder or waiter. */
  public Standing refresh(Claim claim) {
    R record = find(claim.id());
    if (record == null || !record.isLive()) {
      return Gone.GONE;
    }
    note(claim);
    return (Standing) rearm(record, claim);
  }

  /** Removes a claim; a granted one keeps its place for {@code linger}. */
  public Left leave(Claim claim, Duration linger) {
    R record = find(claim.id());
    if (record == null || !record.isLive()) {
      return Left.GONE;
    }
    if (record.isGranted() && !linger.isZero()) {
      record.linger();
      record.arm(clock.now(), clock.lifetime(linger));
    } else {
      remove(record);
      promote();
    }
    return Left.LEFT;
  }

  /** Refuses a late join of this claim for its ttl. */
  public void addTombstone(Claim claim) {
    R tombstone = find(tombstones, claim.id());
    if (tombstone == null) {
      tombstone = newRecord.apply(claim);
      tombstone.makeTombstone(clock.now());
      tombstones.add(tombstone);
    }
    tombstone.arm(clock.now(), clock.lifetime(claim.ttl()));
  }

  /**
   * Ends the granted claims that the token names, or all of them.
   *
   * @return true if there were any
   */
  public boolean evict(long token) {
    List<R> named = claims.stream().filter(record -> isNamed(record, token)).toList();
    named.forEach(this::remove);
    promote();
    return !named.isEmpty();
  }

  /**
   * @return the lock as it stands now; expired claims are left out even if the step did not settle
   */
  public LockInfo info() {
    List<ClaimInfo> holders = new ArrayList<>();
    List<ClaimInfo> waiters = new ArrayList<>();
    for (R record : claims) {
      if (!isExpired(record)) {
        (record.isGranted() ? holders : waiters).add(info(record));
      }
    }
    return holders.isEmpty() && waiters.isEmpty()
        ? LockInfo.free(lock)
        : new LockInfo(lock, kind, capacity, holders, waiters);
  }

  /**
   * @return the claims with a place, in queue order: live and lingering ones
   */
  public List<R> claims() {
    return Collections.unmodifiableList(claims);
  }

  /**
   * @return the records that refuse late joins
   */
  public List<R> tombstones() {
    return Collections.unmodifiableList(tombstones);
  }

  /**
   * @return the records that this step removed
   */
  public List<R> removed() {
    return Collections.unmodifiableList(removed);
  }

  /**
   * @return the waiting claims that this step granted; their refresh starts the ttl
   */
  public List<R> promoted() {
    return Collections.unmodifiableList(promoted);
  }

  /**
   * @return the keepable claim that this step has queued the first claim behind, if it did: its
   *     client is to be notified
   */
  public @Nullable R wanted() {
    return wanted;
  }

  /**
   * @return the claim with this id, null if it has no place
   */
  public @Nullable R find(String claimId) {
    return find(claims, claimId);
  }

  public String lock() {
    return lock;
  }

  public QueueClock clock() {
    return clock;
  }

  public Kind kind() {
    return kind;
  }

  public int capacity() {
    return capacity;
  }

  /**
   * @return the greatest token that the lock has given out or reserved
   */
  public long lastToken() {
    return lastToken;
  }

  private void removeExpired(List<R> records) {
    for (int i = 0; i < records.size(); ) {
      R record = records.get(i);
      if (isExpired(record)) {
        records.remove(i);
        removed.add(record);
      } else {
        if (record.expires() - clock.now() > record.ttl()) {
          // The clock was set back. A living client has at most its ttl left; a dead one must not
          // stay for as long as the clock went back.
          record.arm(clock.now(), record.ttl());
        }
        i++;
      }
    }
  }

  private boolean isExpired(R record) {
    return record.expires() - clock.now() <= 0;
  }

  private R enter(Claim claim, Duration ttl) {
    R record = newRecord.apply(claim);
    record.join(clock.now());
    record.arm(clock.now(), clock.lifetime(ttl));
    claims.add(record);
    return record;
  }

  private JoinAnswer rearm(R record, Claim claim) {
    boolean tells = record.isKeepable() || claim.keepable();
    record.update(claim);
    if (!record.isGranted()) {
      promote(); // a lower weight may fit
    }
    if (!record.isGranted()) {
      record.arm(clock.now(), clock.lifetime(claim.waitingTtl()));
      int ahead = claims.indexOf(record);
      return new Queued(ahead, ahead == 1 && isKeepable(claims.get(0)));
    }
    record.arm(clock.now(), clock.lifetime(claim.ttl()));
    Tokens spares = reserve(claim);
    promote(); // a lower weight may make room
    boolean isWanted = tells && isWaitedFor();
    if (isWanted) {
      record.notified();
    }
    return new Granted(record.token(), spares, isWanted);
  }

  /** Returns whether it is granted, live, and may be idle. */
  private boolean isKeepable(R record) {
    return record.isGranted() && record.isLive() && record.isKeepable();
  }

  private boolean isWaitedFor() {
    return !claims.get(claims.size() - 1).isGranted();
  }

  private void remove(R record) {
    claims.remove(record);
    removed.add(record);
  }

  /** Grants the claims that fit, in queue order. */
  private void promote() {
    long ahead = 0;
    for (R record : claims) {
      if (!Admission.fits(ahead, record.weight(), capacity)) {
        return;
      }
      ahead += record.weight();
      if (!record.isGranted()) {
        grant(record);
        promoted.add(record);
      }
    }
  }

  private void grant(R record) {
    lastToken = Tokens.next(lock, lastToken, clock.microsForTokens(lastToken), record.floor());
    record.grant(lastToken, clock.now());
  }

  private void note(Claim claim) {
    if (claim.floor() > lastToken) {
      lastToken = Tokens.noted(lastToken, clock.micros(), claim.floor());
    }
  }

  private Tokens reserve(Claim claim) {
    if (claim.spares() == 0 || lastToken > clock.micros() + Tokens.AHEAD_MICROS) {
      return Tokens.NONE;
    }
    Tokens spares = Tokens.reserve(lock, lastToken, claim.floor(), claim.spares());
    lastToken = spares.last();
    return spares;
  }

  private boolean isNamed(R record, long token) {
    if (!record.isGranted()) {
      return false;
    }
    return token == LockStore.ANY_TOKEN
        || token == record.token()
        || (kind.mode(record.weight()) == Mode.EXCLUSIVE
            && token > record.token()
            && token <= lastToken);
  }

  private ClaimInfo info(R record) {
    return new ClaimInfo(
        record.owner(),
        kind.mode(record.weight()),
        record.weight(),
        record.token(),
        record.isGranted() ? lastToken : 0,
        clock.since(record.since()),
        clock.until(record.expires()),
        isKeepable(record),
        record.value());
  }

  private long totalWeight() {
    long sum = 0;
    for (R record : claims) {
      sum += record.weight();
    }
    return sum;
  }

  private @Nullable R find(List<R> records, String claimId) {
    for (R record : records) {
      if (record.id().equals(claimId)) {
        return record;
      }
    }
    return null;
  }
}
