package dev.holdfast.engine.state;

import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One claim of ours at the store, from join to leave, and the holds that run on it.
 *
 * <p>Everything mutable is guarded by the lock's mutex, except the volatile fields, which are
 * written under it and read without.
 */
public final class Tenure {

  /** How many times a claim may be handed off before the store decides again. */
  public static final int SLICE_PASSES = 1000;

  /** For how long it may be handed off. */
  public static final long SLICE_NANOS = 100_000_000;

  /** The least pause before a renewal that counted for less than it asked for is repeated. */
  private static final long CURBED_NANOS = 20_000_000;

  /** A moment that does not come. */
  static final long NEVER = Long.MAX_VALUE / 4;

  /** Where a claim stands. */
  public enum Phase {
    /** The join is on its way. */
    JOINING,
    /** It waits in the store's queue. */
    QUEUED,
    /** The store cannot queue; the join is repeated after a while. */
    RETRYING,
    /** The store has granted it. */
    GRANTED,
    /** It is over on our side: left, lost, refused or detached. */
    ENDED
  }

  /** What is known besides the answers. A greater one includes the lesser. */
  enum Hint {
    NONE,
    /** Another claim of this client has made room. */
    ROOM,
    /** The store says that something has changed. */
    STORE
  }

  public final long number;
  public final Shell shell;
  @Nullable Request requester; // until it is granted: a request may lead to a lease
  final Limits limits;
  final List<Hold> holds = new ArrayList<>(1);
  final Spares spares = new Spares();
  private final Confirmation confirmation = new Confirmation();
  private final HintCount hints = new HintCount();
  final Shortening shortening = new Shortening();

  // Mutable state
  public volatile LockSpec spec;
  public volatile Claim claim;
  volatile Phase phase = Phase.JOINING;
  private volatile long nextRefresh; // while joining: when the answer is overdue
  public volatile int batch = Integer.MAX_VALUE; // in how large a one it may be refreshed
  volatile boolean jeopardyTold;
  private volatile boolean limited;
  private volatile long holdMoment;
  private volatile @Nullable CompletableFuture<Left> left; // completed by the answer to its leave
  public volatile @Nullable Throwable leaveFailure; // why its leave was not answered
  private volatile boolean outstayed; // all its holds were told lost by their maxHold
  Hint hint = Hint.NONE; // until the refresh that follows it is sent
  boolean refreshing;
  boolean silent; // its last refresh was not answered, and is repeated after a while
  boolean sliceTimed;
  private long askedAt; // when it was last asked, after how many times that room was made
  private int askedRoom;
  private int confirmedRoom = -1;
  boolean cancelled; // its join was taken back on the way
  boolean known; // the store has answered for it before
  boolean unsure; // a repeated join was not answered: the claim may stand at the store
  private long sliceEnd;
  private long minHoldUntil;

  Tenure(long number, Shell shell, Claim claim, Request requester, Limits limits) {
    this.number = number;
    this.shell = shell;
    this.spec = requester.spec;
    this.claim = claim;
    this.requester = requester;
    this.limits = limits;
  }

  /** By its number: an identity hash is costly to make, and each one goes through a set. */
  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  /** Where it stands. */
  public Phase phase() {
    return phase;
  }

  // ---------------------------------------------------------------- time

  /** How often it is to be refreshed: a waiter's life in the store is shorter. */
  long refreshNanos() {
    return phase == Phase.GRANTED ? spec.renewNanos : claim.waitingTtl().toNanos() / 3;
  }

  /** The join is to be repeated after a while; the timer for that is not ours. */
  void retrying(long now) {
    phase = Phase.RETRYING;
    nextRefresh = now + NEVER;
  }

  /** A join was sent. */
  void joining(long now) {
    phase = Phase.JOINING;
    nextRefresh = now + patience();
  }

  /** How long an answer to a join is waited for; beyond its validity it would be of no use. */
  public long patience() {
    return Math.min(spec.validNanos, limits.operationTimeout());
  }

  boolean isOverdue(long now) {
    return phase == Phase.JOINING && now - nextRefresh >= 0;
  }

  /** A refresh is sent; repeated if nobody answers it. */
  Claim refreshing(long now, int wantedSpares, long floor) {
    refreshing = true;
    hint = Hint.NONE;
    nextRefresh = now + Math.min(refreshNanos() / 2, limits.operationTimeout());
    Claim asked = claim.asking(wantedSpares, floor);
    return limited && limits.ownTtl() ? shortening.ask(asked, holds, limits, now) : asked;
  }

  void refreshBy(long moment) {
    nextRefresh = moment;
  }

  /** Whether a refresh can tell how it stands; one that just failed is not repeated at once. */
  boolean mayBeAsked() {
    return phase == Phase.QUEUED && !refreshing && !silent;
  }

  /** Whether an answer of the store is under way. */
  boolean isAsked() {
    return phase == Phase.JOINING || refreshing;
  }

  void queued(Moment sent) {
    phase = Phase.QUEUED;
    known = true;
    unsure = false;
    confirm(claim, sent);
  }

  void granted(Granted granted, Claim asked, Moment sent, long now) {
    requester = null;
    spares.begin(granted);
    sliceEnd = now + SLICE_NANOS;
    minHoldUntil = now;
    known = true;
    confirm(asked, sent);
    phase = Phase.GRANTED;
    nextRefresh = sent.nanos + refreshNanos();
  }

  /**
   * The store has confirmed what was asked then.
   *
   * @return whether that counts; not if the last confirmation was seen to be over before
   */
  boolean confirm(Claim asked, Moment sent) {
    long life = Math.min(shortening.bound(sent.nanos), asked.ttl().toNanos());
    long valid =
        life >= claim.ttl().toNanos()
            ? spec.validNanos
            : Math.min(spec.validNanos, life - spec.marginNanos);
    if (sent.nanos - askedAt >= 0) {
      confirmedRoom = askedRoom;
    }
    Validity next = new Validity(sent, valid, spec.marginNanos, false);
    if (!confirmation.confirm(next, phase == Phase.GRANTED)) {
      return false;
    }
    Validity current = confirmation.get();
    if (current != null && current.sent() == sent) {
      // One that counts for less than maxHold leaves by now is soon followed by another.
      boolean curbed = valid < spec.validNanos && life < mostLife(sent.nanos);
      nextRefresh = sent.nanos + (curbed ? Math.max(valid / 4, CURBED_NANOS) : refreshNanos());
      jeopardyTold = false;
    }
    return true;
  }

  private long mostLife(long now) {
    return limited ? Shortening.longest(holds, now) : claim.ttl().toNanos();
  }

  /** Whether the store confirmed it recently: no answer is overdue since then. */
  boolean isRecentlyConfirmed(long now) {
    Validity current = confirmation.get();
    long patience = refreshNanos() + limits.operationTimeout();
    long life = claim.waitingTtl().toNanos(); // beyond it the claim may be gone
    return current != null && now - current.sent().nanos < Math.min(patience, life);
  }

  /** Whether the store confirmed it in answer to what was asked since then. */
  boolean isConfirmedSince(int room) {
    return confirmedRoom == room;
  }

  /** Something is about to be asked, when room was made so often. */
  void asked(long now, int room) {
    askedAt = now;
    askedRoom = room;
  }

  /** Nanoseconds for which a grant is still confirmed; zero or less when it is over. */
  public long remaining(Moment now) {
    return phase == Phase.GRANTED ? confirmation.remaining(now) : 0;
  }

  /** Whether its last confirmation was seen to be over: then it stays so. */
  public boolean wasSeenOver() {
    return confirmation.wasSeenOver();
  }

  /** Whether a refresh is overdue: the one due now and half of the next period have passed. */
  boolean inJeopardy(long now) {
    return confirmation.sentBefore(now - spec.renewNanos * 3 / 2);
  }

  /** The next moment at which it must be looked at again. Needs no mutex. */
  public long nextMoment() {
    long next = nextRefresh;
    Validity current = confirmation.get();
    if (outstayed) {
      return holdMoment;
    }
    if (phase == Phase.GRANTED && current != null) {
      next = earlier(next, current.sent().nanos + current.validNanos());
      if (!jeopardyTold) {
        next = earlier(next, current.sent().nanos + spec.renewNanos * 3 / 2 + 1);
      }
      if (limited) {
        next = earlier(next, holdMoment);
      }
    }
    return next;
  }

  /** Refreshes that are due soon go along with those that are due now. */
  public boolean isRefreshDue(long now) {
    return !outstayed
        && (phase == Phase.QUEUED || phase == Phase.GRANTED)
        && nextRefresh - now <= refreshNanos() / 4;
  }

  /** Whether another hint may be followed at once. */
  boolean mayFollowHint(long now) {
    return hints.mayFollow(now, refreshNanos());
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  // ---------------------------------------------------------------- holds

  boolean isLimited() {
    return limited;
  }

  /** Finds the next moment at which a maxHold has an effect. */
  void limitHolds() {
    limited = false;
    boolean over = !holds.isEmpty();
    for (Hold hold : holds) {
      over &= hold.isOver();
      if (hold.limited) {
        holdMoment = limited ? earlier(holdMoment, hold.nextMoment()) : hold.nextMoment();
        limited = true;
      }
    }
    outstayed = over && limited;
  }

  boolean isOutstayed() {
    return outstayed;
  }

  boolean isShared() {
    return spec.mode == Mode.SHARED;
  }

  boolean isIdle() {
    return phase == Phase.GRANTED && holds.isEmpty();
  }

  /** Whether nobody can reach any of its holds, so that it is not renewed. */
  boolean isAbandoned() {
    for (Hold hold : holds) {
      if (!hold.abandoned) {
        return false;
      }
    }
    return !holds.isEmpty();
  }

  /** The holds that run on it, under the mutex. */
  public List<Hold> holds() {
    return List.copyOf(holds);
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

  /** How long the lock is to stay taken after it is released now. */
  public Duration linger(long now) {
    return minHoldOver(now) ? Duration.ZERO : Duration.ofNanos(minHoldUntil - now);
  }

  private boolean minHoldOver(long now) {
    return spares.isUnused() || minHoldUntil - now <= 0;
  }

  /** The writer only reads from now on; the next refresh tells the store. */
  void downgrade() {
    spec = spec.downgraded();
    claim = claim.weighing(spec.weight);
  }

  // ---------------------------------------------------------------- hand-off

  long sliceEnd() {
    return sliceEnd;
  }

  /**
   * Whether it may be handed off to this request: both sides agree, a token and a part of the slice
   * are left, minHold is over, and the next holder has time to work.
   */
  boolean mayPassTo(Request request, Moment now, long floor) {
    return spec.passesTo(request.spec)
        && spares.has(floor)
        && spares.passes < SLICE_PASSES
        && sliceEnd - now.nanos > 0
        && minHoldOver(now.nanos)
        && isFresh(now);
  }

  /** Whether this request can have it now; a fresh grant goes to any request it serves. */
  boolean canServe(Request request, Moment now, long floor) {
    return spares.isUnused()
        ? spec.serves(request.spec) && spares.has(floor) && remaining(now) > 0
        : mayPassTo(request, now, floor);
  }

  private boolean isFresh(Moment now) {
    return !inJeopardy(now.nanos) && remaining(now) * 2 >= spec.validNanos;
  }

  // ---------------------------------------------------------------- the end

  /** It leaves the store. */
  void departing() {
    left = new CompletableFuture<>();
  }

  /** The answer to its leave, or null if none was sent. */
  public @Nullable CompletableFuture<Left> left() {
    return left;
  }
}
