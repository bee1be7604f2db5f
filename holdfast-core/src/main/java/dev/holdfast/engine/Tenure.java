package dev.holdfast.engine;

import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One claim of ours at the store, from join to leave, and the holds that run on it.
 *
 * <p>Everything mutable is guarded by the lock of its {@link LocalQueue}, except the volatile
 * fields, which are written under it and read without.
 */
final class Tenure {

  /** How many times a claim may be passed on before the store decides again. */
  static final int SLICE_PASSES = 1000;

  /** For how long it may be passed on. */
  static final long SLICE_NANOS = 100_000_000;

  /** How many hints are followed at once in one period of its refreshes. */
  static final int HINTS = 32;

  enum Phase {
    /** The join is on its way. */
    JOINING,
    /** It stands in the store's queue. */
    QUEUED,
    /** The store cannot queue; the join is repeated after a while. */
    RETRYING,
    /** The store has let it in. */
    GRANTED,
    /** It is over: left, lost, refused or detached. */
    ENDED
  }

  private static final AtomicReferenceFieldUpdater<Tenure, @Nullable Validity> VALIDITY =
      AtomicReferenceFieldUpdater.newUpdater(Tenure.class, Validity.class, "validity");

  final long number;
  final LocalQueue queue;
  final Request requester;
  final List<Hold> holds = new ArrayList<>(1);

  // Mutable state
  volatile LockSpec spec;
  volatile Claim claim;
  volatile Phase phase = Phase.JOINING;
  private volatile @Nullable Validity validity;
  volatile long nextRefresh;
  volatile int batch = Integer.MAX_VALUE; // in how large a one it may be refreshed
  @Nullable CompletableFuture<Left> departure;
  boolean hinted; // until the refresh that follows it is sent
  boolean refreshing;
  private int hintsFollowed;
  private long hintsCountedFrom;
  boolean replenishing;
  volatile boolean jeopardyTold;
  private volatile boolean limited;
  private volatile long holdMoment;
  boolean sparesRefused; // the store has none to give: it is asked no more
  int passes;
  private boolean tokenUsed;
  private long token;
  private long spare;
  private long lastSpare = -1;
  private long sliceEnd;
  private long minHoldUntil;

  Tenure(LocalQueue queue, LockSpec spec, Claim claim, Request requester) {
    this.number = queue.engine().nextNumber();
    this.queue = queue;
    this.spec = spec;
    this.claim = claim;
    this.requester = requester;
  }

  /** By its number: an identity hash is costly to make, and each one goes through a set. */
  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  /** How often it is to be refreshed: a waiter's life in the store is shorter. */
  long refreshNanos() {
    return phase == Phase.GRANTED ? spec.renewNanos : claim.waitingTtl().toNanos() / 3;
  }

  /** How soon a refresh that nobody answers is repeated. */
  long repeatNanos() {
    return Math.min(refreshNanos() / 2, queue.engine().operationTimeout().toNanos());
  }

  void queued(Moment sent) {
    phase = Phase.QUEUED;
    confirm(sent);
  }

  void granted(Granted granted, Moment sent, long now) {
    token = granted.token();
    sliceEnd = now + SLICE_NANOS;
    minHoldUntil = now;
    confirm(sent);
    phase = Phase.GRANTED;
    hinted = false; // what it was hinted at has come true
    nextRefresh = sent.nanos() + refreshNanos();
    addSpares(granted.spares());
  }

  /**
   * The store has confirmed what was sent then.
   *
   * @return whether that counts; not if the last confirmation was seen to be over before
   */
  boolean confirm(Moment sent) {
    while (true) {
      Validity current = validity;
      if (current != null && phase == Phase.GRANTED && current.over()) {
        return false;
      }
      if (current != null && sent.nanos() - current.sent().nanos() <= 0) {
        return true;
      }
      if (VALIDITY.compareAndSet(this, current, Validity.from(sent, spec))) {
        nextRefresh = sent.nanos() + refreshNanos();
        if (jeopardyTold) {
          jeopardyTold = false;
        }
        return true;
      }
    }
  }

  /** The writer only reads from now on; the next refresh tells the store. */
  void downgrade() {
    spec = spec.downgraded();
    claim = claim.weighing(spec.weight);
  }

  /** When the store was last heard of it: the moment that request was sent. */
  @Nullable Moment heard() {
    Validity current = validity;
    return current == null ? null : current.sent();
  }

  /** Whether the store was heard of it, and no answer is overdue since then. */
  boolean isHeardOf(Moment now) {
    Moment heard = heard();
    long patience = refreshNanos() + queue.engine().operationTimeout().toNanos();
    long life = claim.waitingTtl().toNanos(); // beyond it the claim may be gone
    return heard != null && now.nanos() - heard.nanos() < Math.min(patience, life);
  }

  /** Whether the store was heard of it in answer to what was sent after this moment, if any. */
  boolean isHeardOfSince(@Nullable Moment moment) {
    Moment heard = heard();
    return moment == null || (heard != null && heard.nanos() - moment.nanos() > 0);
  }

  /**
   * Nanoseconds for which a grant is still confirmed; zero or less when it is over. Whoever sees it
   * over makes it so for good, against a confirmation that is under way.
   */
  long remaining(Moment now) {
    while (true) {
      Validity current = validity;
      if (phase != Phase.GRANTED || current == null) {
        return 0;
      }
      long left = current.remaining(now);
      if (left > 0 || current.over() || VALIDITY.compareAndSet(this, current, current.ended())) {
        return left;
      }
    }
  }

  /** Whether its last confirmation was seen to be over: then it stays so. */
  boolean wasSeenOver() {
    Validity current = validity;
    return current != null && current.over();
  }

  /** Whether a refresh is overdue: the one due now and half of the next period have passed. */
  boolean inJeopardy(long now) {
    Validity current = validity;
    return current != null && now - current.sent().nanos() > jeopardyNanos();
  }

  long jeopardyNanos() {
    return spec.renewNanos * 3 / 2;
  }

  /** The next moment at which it must be looked at again. Needs no lock. */
  long nextMoment() {
    long next = nextRefresh;
    Validity current = validity;
    if (phase == Phase.GRANTED && current != null) {
      next = earlier(next, current.deadline());
      if (!jeopardyTold) {
        next = earlier(next, current.sent().nanos() + jeopardyNanos() + 1);
      }
      if (limited) {
        next = earlier(next, holdMoment);
      }
    }
    return next;
  }

  /** Refreshes that are due soon go along with those that are due now. */
  boolean isRefreshDue(long now) {
    return nextRefresh - now <= refreshNanos() / 4;
  }

  /**
   * Whether another hint may be followed at once: a store that hints too often must not drive us.
   */
  boolean mayFollowHint(long now) {
    if (hintsFollowed == 0 || now - hintsCountedFrom >= refreshNanos()) {
      hintsFollowed = 0;
      hintsCountedFrom = now;
    }
    hintsFollowed = Math.min(hintsFollowed + 1, HINTS + 1);
    return hintsFollowed <= HINTS;
  }

  /** Whether one of its holds has a maxHold. */
  boolean isLimited() {
    return limited;
  }

  /** Finds the next moment at which a maxHold has an effect. */
  void limitHolds() {
    limited = false;
    for (Hold hold : holds) {
      if (hold.isLimited()) {
        holdMoment = limited ? earlier(holdMoment, hold.nextMoment()) : hold.nextMoment();
        limited = true;
      }
    }
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  /** Tokens from an answer; those already used may be among them and are passed over. */
  void addSpares(Tokens spares) {
    if (spares.count() > 0 && spares.last() > lastSpare) {
      spare = Math.max(spares.first(), Math.max(spare, token + 1));
      lastSpare = spares.last();
    }
  }

  boolean hasToken() {
    spare = Math.max(spare, queue.engine().floor().demanded() + 1);
    return !tokenUsed || spare <= lastSpare;
  }

  long takeToken() {
    if (!tokenUsed) {
      tokenUsed = true;
      return token;
    }
    passes++;
    return spare++;
  }

  /** Whether it has been granted and served nobody yet. */
  boolean isUnused() {
    return !tokenUsed;
  }

  /**
   * Whether it may be passed on to this request, tokens apart: both sides agree, the slice has
   * room, minHold is over, and whoever gets it has time to work.
   */
  boolean wouldPassTo(Request request, Moment now) {
    return spec.passesTo(request.spec)
        && (hasToken() || !sparesRefused)
        && passes < SLICE_PASSES
        && sliceEnd - now.nanos() > 0
        && minHoldOver(now.nanos())
        && isFresh(now);
  }

  /** Whether this request can have it now; a fresh grant goes to whoever it fits. */
  boolean canServe(Request request, Moment now) {
    return isUnused()
        ? spec.serves(request.spec) && remaining(now) > 0
        : hasToken() && wouldPassTo(request, now);
  }

  boolean isShared() {
    return spec.mode == Mode.SHARED;
  }

  long sliceEnd() {
    return sliceEnd;
  }

  boolean isIdle() {
    return phase == Phase.GRANTED && holds.isEmpty();
  }

  private boolean isFresh(Moment now) {
    return !inJeopardy(now.nanos()) && remaining(now) * 2 >= spec.validNanos;
  }

  void keepUntil(long moment) {
    if (moment - minHoldUntil > 0) {
      minHoldUntil = moment;
    }
  }

  /** What this hold kept it for was never done. Every earlier minHold was over when it began. */
  void forgetMinHold(Hold hold) {
    if (minHoldUntil == hold.since + hold.spec.minHoldNanos) {
      minHoldUntil = hold.since;
    }
  }

  /** How long the lock is to stay taken after it is let go now. */
  Duration linger(long now) {
    return minHoldOver(now) ? Duration.ZERO : Duration.ofNanos(minHoldUntil - now);
  }

  private boolean minHoldOver(long now) {
    return isUnused() || minHoldUntil - now <= 0;
  }
}
