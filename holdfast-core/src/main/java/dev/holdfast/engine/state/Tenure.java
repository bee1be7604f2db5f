package dev.holdfast.engine.state;

import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One claim of ours at the store, from join to leave, and the holds that run on it.
 *
 * <p>Everything mutable is guarded by the lock's mutex, except the volatile fields, which are
 * written under it and read without. Those that each acquisition writes cost it a memory barrier,
 * so a field is volatile only if a late look at it would do harm.
 */
public final class Tenure {

  /** The least pause before a renewal that counted for less than it asked for is repeated. */
  private static final long CURBED_NANOS = 20_000_000;

  /** A time that does not pass. */
  static final long NEVER = Long.MAX_VALUE / 4;

  /** Writes {@link #due} without a barrier: the planner gets the new value separately. */
  public static final AtomicLongFieldUpdater<Tenure> DUE =
      AtomicLongFieldUpdater.newUpdater(Tenure.class, "due");

  private static final AtomicReferenceFieldUpdater<Tenure, @Nullable Validity> VALIDITY =
      AtomicReferenceFieldUpdater.newUpdater(Tenure.class, Validity.class, "validity");

  public final long number;

  /** How long an answer to a join is waited for; beyond its validity it would be of no use. */
  public final long patience;

  final ClientState client;
  public final List<Hold> holds = new ArrayList<>(1);
  final Spares spares = new Spares();
  final Slice slice = new Slice();

  // Mutable state
  @Nullable Request requester; // until it is granted: a request may lead to a lease
  LockSpec spec;
  public Claim claim;
  public Phase phase = Phase.JOINING;
  private volatile @Nullable Validity validity; // the last confirmation by the store
  private long nextRefresh; // while joining: when the answer is overdue
  public volatile long due; // when it must be looked at again; written by DUE
  public boolean watched; // the renewals look after it
  public volatile int batch; // in how large a one it may be refreshed; 0 in any
  public @Nullable CompletableFuture<Boolean> left; // its leave: ours until then, or not
  @Nullable Hold ending; // the hold whose end is published with the answer to the leave
  List<Hold> endingToo = List.of(); // others, if the client closes
  @Nullable Shortening shortening; // once a maxHold has made a renewal ask for less
  Hint hint = Hint.NONE; // until the refresh that follows it is sent
  boolean refreshing; // one is under way
  boolean silent; // its last refresh was not answered, and is repeated after a while
  boolean jeopardyTold;
  boolean cancelled; // its join was taken back on the way
  boolean unsure; // a repeated join was not answered: the claim may stand at the store
  boolean mayBeLate; // such a join may still arrive, whatever was answered since
  boolean limited; // a hold has a maxHold
  boolean outstayed; // all its holds were lost by their maxHold
  private long holdMoment; // when the next maxHold has an effect
  private int confirmedRoom = -1;
  int position; // how many claims were ahead of it when it was last seen to wait
  @Nullable Ahead ahead; // once it was a claim that may be idle
  private @Nullable HintLimit hintLimit; // once there was a hint
  private long minHoldUntil; // of holds that have ended

  Tenure(ClientState client, Claim claim, Request requester) {
    this.number = client.numbers.getAndIncrement();
    this.client = client;
    this.patience = Math.min(requester.spec.validNanos, client.operationTimeout);
    this.spec = requester.spec;
    this.claim = claim;
    this.requester = requester;
  }

  /** By its number: an identity hash is costly to make, and each one goes through a map. */
  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  // ---------------------------------------------------------------- calls

  /** A join is sent. */
  Call joining(boolean waits, Moment now, int room) {
    phase = Phase.JOINING;
    nextRefresh = now.nanos + patience;
    return new Call(this, claim, waits, now, room);
  }

  /** The join is to be repeated after a while; the timer for that is not ours. */
  void retrying(Moment now) {
    phase = Phase.RETRYING;
    nextRefresh = now.nanos + NEVER;
  }

  boolean isOverdue(Moment now) {
    return phase == Phase.JOINING && now.nanos - nextRefresh >= 0;
  }

  /** A refresh is sent; repeated if nobody answers it. */
  Call refreshing(Moment now, int room, int wantedSpares, long floor) {
    refreshing = true;
    hint = Hint.NONE;
    nextRefresh = now.nanos + Math.min(refreshNanos() / 2, client.operationTimeout);
    Claim asked = claim.asking(wantedSpares, floor);
    if (limited && client.ownTtl) {
      shortening = shortening == null ? new Shortening() : shortening;
      asked = shortening.ask(asked, holds, client, now.nanos);
    }
    return new Call(this, asked, false, now, room);
  }

  void refreshBy(long moment) {
    nextRefresh = moment;
  }

  /**
   * {@return whether a refresh can tell how it stands; one that just failed is not repeated at
   * once}
   */
  boolean mayBeAsked() {
    return phase == Phase.QUEUED && !refreshing && !silent;
  }

  /** {@return whether an answer of the store is under way} */
  boolean isAsked() {
    return phase == Phase.JOINING || refreshing;
  }

  void queued(Call call) {
    phase = Phase.QUEUED;
    unsure = false;
    confirm(call);
  }

  void granted(Granted grant, Call call, Moment now) {
    requester = null;
    spares.begin(grant);
    slice.end = now.nanos + spec.sliceNanos; // the first one: there is nothing to reset
    if (grant.wanted()) {
      heard(grant, call);
    }
    minHoldUntil = now.nanos;
    phase = Phase.GRANTED;
    confirm(call);
  }

  /** What the store says of others that wait behind the granted claim. */
  void heard(Granted grant, Call call) {
    if (grant.wanted()) {
      slice.wanted = true;
      claim = claim.keepable(false);
    } else if (call.claim.keepable()) {
      slice.wanted = false;
    }
  }

  /**
   * What the store says of the claim ahead.
   *
   * @param tried by a join that did not want to wait
   */
  void heard(Queued queued, boolean tried, Moment now) {
    position = queued.position();
    if (ahead == null && queued.behindKeepable()) {
      ahead = new Ahead(tried);
    }
    if (ahead != null) {
      ahead.heard(queued, now);
      if (ahead.isPolled()) {
        refreshBy(ahead.nextPoll(now));
      }
    }
  }

  /**
   * The store has confirmed what was asked then.
   *
   * @return whether that counts; not if the last confirmation was seen to be over before
   */
  boolean confirm(Call call) {
    Moment sent = call.sent;
    long ttl = claim.ttl().toNanos();
    long asked = call.claim.ttl().toNanos();
    long life = shortening == null ? asked : Math.min(shortening.bound(sent.nanos), asked);
    long valid = life >= ttl ? spec.validNanos : Math.min(spec.validNanos, life - spec.marginNanos);
    confirmedRoom = Math.max(confirmedRoom, call.room);
    Validity next = new Validity(sent, valid, spec.marginNanos, false);
    Validity last;
    do {
      last = validity;
      if (last != null && last.over && phase == Phase.GRANTED) {
        return false;
      }
      if (last != null && sent.nanos - last.sent.nanos < 0) {
        return true; // a later one has been confirmed
      }
    } while (!VALIDITY.compareAndSet(this, last, next));
    // One that counts for less than maxHold leaves by now is soon followed by another.
    boolean curbed = valid < spec.validNanos && life < (limited ? longestHold(sent.nanos) : ttl);
    nextRefresh = sent.nanos + (curbed ? Math.max(valid / 4, CURBED_NANOS) : refreshNanos());
    jeopardyTold = false;
    return true;
  }

  // ---------------------------------------------------------------- time

  /** How often it is to be refreshed: a waiter's life in the store is shorter. */
  long refreshNanos() {
    return phase == Phase.GRANTED ? spec.renewNanos : claim.waitingTtl().toNanos() / 3;
  }

  /**
   * {@return whether the store confirmed it recently, in answer to what was asked since room was
   * made}
   */
  boolean isRecentlyConfirmed(Moment now, int room) {
    Validity last = validity;
    long patience = refreshNanos() + client.operationTimeout;
    long life = claim.waitingTtl().toNanos(); // beyond it the claim may be gone
    return confirmedRoom == room
        && last != null
        && now.nanos - last.sent.nanos < Math.min(patience, life);
  }

  /** Nanoseconds for which a grant is still confirmed; zero or less when it is over. */
  public long remaining(Moment now) {
    while (true) {
      Validity last = validity;
      if (last == null) {
        return 0;
      }
      long time = last.remaining(now);
      // What was seen to be over stays so, also against a confirmation that is under way.
      if (time > 0 || last.over || VALIDITY.compareAndSet(this, last, last.ended())) {
        return time;
      }
    }
  }

  /** {@return whether its last confirmation was seen to be over} */
  public boolean wasSeenOver() {
    Validity last = validity;
    return last != null && last.over;
  }

  /**
   * {@return whether a refresh is overdue: the one due now and half of the next period have passed}
   */
  boolean inJeopardy(Moment now) {
    Validity last = validity;
    return last != null && now.nanos - last.sent.nanos > spec.renewNanos * 3 / 2;
  }

  /** The next moment at which it must be looked at again. */
  long nextMoment() {
    if (outstayed) {
      return holdMoment;
    }
    Validity last = validity;
    if (phase != Phase.GRANTED || last == null) {
      return nextRefresh;
    }
    long sent = last.sent.nanos;
    long next = Math.min(nextRefresh - sent, last.validNanos);
    next = jeopardyTold ? next : Math.min(next, spec.renewNanos * 3 / 2 + 1);
    next = limited ? Math.min(next, holdMoment - sent) : next;
    return sent + next;
  }

  /** Refreshes that are due soon go along with those that are due now. */
  boolean isRefreshDue(Moment now) {
    return !outstayed
        && (phase == Phase.QUEUED || phase == Phase.GRANTED)
        && untilRefresh(now) <= 0;
  }

  long untilRefresh(Moment now) {
    return nextRefresh - now.nanos - refreshNanos() / 4;
  }

  /** {@return whether another hint may be followed at once} */
  boolean mayFollowHint(Moment now) {
    hintLimit = hintLimit == null ? new HintLimit() : hintLimit;
    return hintLimit.mayFollow(refreshNanos(), now);
  }

  // ---------------------------------------------------------------- holds

  /** Finds the next moment at which a maxHold has an effect. */
  void limitHolds() {
    limited = false;
    boolean over = !holds.isEmpty();
    for (Hold hold : holds) {
      over &= hold.isOver();
      if (hold.isLimited()) {
        long next = hold.nextMoment();
        holdMoment = limited && holdMoment - next < 0 ? holdMoment : next;
        limited = true;
      }
    }
    outstayed = over && limited;
  }

  /** What the longest maxHold of its holds leaves. */
  private long longestHold(long now) {
    return Shortening.longest(holds, now);
  }

  boolean isShared() {
    return spec.mode == Mode.SHARED;
  }

  boolean isIdle() {
    return phase == Phase.GRANTED && holds.isEmpty();
  }

  /** {@return whether nobody can reach any of its holds, so that it is not renewed} */
  boolean isAbandoned() {
    for (Hold hold : holds) {
      if (!hold.abandoned) {
        return false;
      }
    }
    return !holds.isEmpty();
  }

  /** A hold has ended: what it wanted the lock to stay taken for goes on. */
  void keepFor(Hold hold) {
    if (hold.minHoldUntil - minHoldUntil > 0) {
      minHoldUntil = hold.minHoldUntil;
    }
  }

  /** How long the lock is to stay taken after it is released now. */
  Duration linger(Moment now) {
    long left = minHoldLeft(now);
    return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
  }

  private long minHoldLeft(Moment now) {
    long left = spares.used ? minHoldUntil - now.nanos : 0;
    for (int i = 0; i < holds.size(); i++) {
      left = Math.max(left, holds.get(i).minHoldUntil - now.nanos);
    }
    return left;
  }

  /** The writer only reads from now on; the next refresh tells the store. */
  void downgrade() {
    spec = spec.downgraded();
    claim = claim.weighing(spec.weight).keepable(false);
  }

  /**
   * A claim may be handed off to this request if both sides agree, a token and a part of the slice
   * are left, minHold is over, and the next holder has time to work.
   */
  boolean mayPassTo(Request request, Moment now, long floor) {
    return spec.passesTo(request.spec)
        && spares.has(floor)
        && slice.lasts(spec, now)
        && isFitToPass(now);
  }

  /** {@return whether it stays at the store, idle, for the next request of this client} */
  boolean isKept() {
    return slice.kept && isIdle();
  }

  boolean isFitToPass(Moment now) {
    return minHoldLeft(now) <= 0 && !inJeopardy(now) && remaining(now) * 2 >= spec.validNanos;
  }

  /** {@return whether this request can have it now; a fresh grant goes to any request it serves} */
  boolean canServe(Request request, Moment now, long floor) {
    return spares.used
        ? mayPassTo(request, now, floor)
        : (spec == request.spec || serves(request)) && spares.has(floor) && remaining(now) > 0;
  }

  /** {@return whether the claim is of use to this request} */
  boolean serves(Request request) {
    return spec.serves(request.spec);
  }
}
