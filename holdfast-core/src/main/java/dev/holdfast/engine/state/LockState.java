package dev.holdfast.engine.state;

import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one client knows of one lock: who waits, which of its claims stand at the store, and which
 * threads hold. Data only; {@link Transitions} change it. Guarded by the mutex of its shell, but
 * for {@link #exclusive}.
 *
 * <p>The head of the waiting requests is in one of two situations: a granted tenure of ours can
 * still be handed off to it, or the <i>pending</i> tenure was made for it. There is at most one
 * pending tenure, and any number of granted ones: one for a mutex, several for a semaphore.
 */
public final class LockState {

  /** Makes claims: ids come from outside, so that a test can repeat them. */
  @FunctionalInterface
  public interface Claims {
    /** A new claim for this request. */
    Claim make(Request request, int spares, long floor);
  }

  /** What all locks of a client share. */
  public record Context(Claims claims, Limits limits, Floor floor, Numbers numbers) {}

  /** Counts. */
  @FunctionalInterface
  public interface Numbers {
    /** The next one. */
    long next();
  }

  final String name;
  final Shell shell;
  final Context context;

  // Mutable state
  final ArrayDeque<Request> waiting = new ArrayDeque<>(2);
  final List<Tenure> granted = new ArrayList<>(1);
  List<Request> unsettled = List.of(); // until the leave of their claim is answered
  int tries; // how many of those waiting do not wait for a turn
  @Nullable Tenure pending;
  private @Nullable Map<Thread, Hold> others; // holders but for the exclusive one
  volatile @Nullable Hold exclusive; // read without the mutex, for re-entry
  private int room; // how often somebody may have made room
  int cancelled; // joins that were taken back on the way, until their leave is answered
  long highest; // of the tokens given to holders
  int demand; // how many tokens the last slice could have used
  boolean closed;
  boolean retired;

  /** A lock that this client does not use yet. */
  public LockState(String name, Shell shell, Context context) {
    this.name = name;
    this.shell = shell;
    this.context = context;
  }

  /** The lock's name. */
  public String name() {
    return name;
  }

  /** Whether nothing is left, so that another one must be made. */
  public boolean isRetired() {
    return retired;
  }

  /** The exclusive holder, if any; needs no mutex. */
  public @Nullable Hold exclusive() {
    return exclusive;
  }

  /** What this thread holds and may enter again. */
  public @Nullable Hold heldBy(@Nullable Thread thread) {
    Hold hold = exclusive;
    if (hold != null && hold.isOf(thread)) {
      return hold;
    }
    return thread == null || others == null ? null : others.get(thread);
  }

  void addHolder(Hold hold) {
    Thread thread = hold.thread;
    if (thread == null) {
      return;
    }
    if (exclusive == null && hold.tenure.spec.mode == Mode.EXCLUSIVE) {
      exclusive = hold;
    } else {
      Map<Thread, Hold> map = others == null ? new HashMap<>() : others;
      others = map;
      map.put(thread, hold);
    }
  }

  void removeHolder(Hold hold) {
    Thread thread = hold.thread;
    if (hold == exclusive) {
      exclusive = null;
    } else if (thread != null && others != null) {
      others.remove(thread, hold);
    }
  }

  void removeHolders() {
    others = null;
    exclusive = null;
  }

  boolean isUnused() {
    return granted.isEmpty()
        && pending == null
        && unsettled.isEmpty()
        && cancelled == 0
        && exclusive == null
        && (others == null || others.isEmpty());
  }

  void enqueue(Request request) {
    waiting.addLast(request);
    if (!request.waits()) {
      tries++;
    }
  }

  boolean remove(Request request) {
    boolean there = waiting.remove(request);
    if (there && !request.waits()) {
      tries--;
    }
    return there;
  }

  /** Its claim leaves: the answer to that decides it. */
  void unsettle(Request request, Tenure leaving) {
    remove(request);
    request.leaving = leaving;
    unsettled = unsettled.isEmpty() ? new ArrayList<>(1) : unsettled;
    unsettled.add(request);
  }

  /** It does not wait for a leave any more; whether it did. */
  boolean settle(Request request) {
    return !unsettled.isEmpty() && unsettled.remove(request);
  }

  /** Its limit has struck: it does not wait for a turn any more, only for an answer. */
  void expire(Request request) {
    if (request.waits()) {
      request.expired = true;
      tries++;
    }
  }

  /** Whether a request waits that this claim can serve, and that still waits for a turn. */
  boolean isWanted(Tenure tenure) {
    for (Request request : waiting) {
      if (request.waits() && tenure.spec.serves(request.spec)) {
        return true;
      }
    }
    return false;
  }

  /** Somebody may have made room: what was asked before that does not prove that any is lacking. */
  void roomMade() {
    room++;
  }

  int room() {
    return room;
  }

  private boolean isKnownToWait(Moment now) {
    // What was confirmed long ago proves nothing: a place in the queue may have died unnoticed.
    Tenure asked = pending;
    return asked != null
        && asked.phase != Tenure.Phase.JOINING
        && !asked.unsure
        && asked.isRecentlyConfirmed(now.nanos)
        && asked.isConfirmedSince(room);
  }

  /** Whether somebody is certainly ahead of a new request. */
  boolean isKnownBusy(Moment now) {
    if (isKnownToWait(now)) {
      return true;
    }
    return holdsAlone(now);
  }

  /** Whether an exclusive claim of ours is valid. */
  boolean holdsAlone(Moment now) {
    for (Tenure tenure : granted) {
      if (tenure.spec.mode == Mode.EXCLUSIVE && tenure.remaining(now) > 0) {
        return true;
      }
    }
    return false;
  }

  /** What is wrong with a request that wants the lock to be what it is not; null if nothing is. */
  @Nullable IllegalStateException contradiction(Request request, Moment now) {
    if (pending == null && granted.isEmpty()) {
      return null;
    }
    Tenure known = isKnownToWait(now) ? pending : null;
    for (Tenure tenure : granted) {
      known = tenure.remaining(now) > 0 ? tenure : known;
    }
    return known == null || known.spec.agreesWith(request.spec)
        ? null
        : request.spec.mismatch(name, known.spec);
  }

  /**
   * One for each other request that waits here, or as many as the last slice could have used. A
   * reader asks for as many as read here already: more will come.
   */
  int wantedSpares(LockSpec spec) {
    int others = waiting.size() - 1;
    int wanted = others > 0 ? Math.max(others, demand) : 0;
    if (spec.isReading()) {
      for (Tenure tenure : granted) {
        wanted += tenure.holds.size();
      }
    }
    return Math.min(Tenure.SLICE_PASSES, wanted);
  }

  /** The tokens at or below this are not used any more. */
  long floor(Moment now) {
    return context.floor.raised(name, now);
  }

  /**
   * The floor that a claim brings to the store. A granted one brings only what was raised: it has
   * its token, and the store would have to note a floor that no later grant needs.
   */
  long floorToSend(boolean granted, Moment now) {
    long wanted = granted ? floor(now) : context.floor.of(name, now);
    return context.floor.sendable(Math.max(wanted, highest));
  }

  /** The greatest token of this lock that was given to a holder here, 0 if none was. */
  public long highest() {
    return highest;
  }

  /** A tenure that nobody runs on, if there is one. */
  @Nullable Tenure idle() {
    for (int i = 0; i < granted.size(); i++) {
      if (granted.get(i).isIdle()) {
        return granted.get(i);
      }
    }
    return null;
  }

  /** The granted tenures. Under the mutex. */
  public List<Tenure> granted() {
    return List.copyOf(granted);
  }

  /** The tenure that waits at the store, if any. Under the mutex. */
  public @Nullable Tenure pending() {
    return pending;
  }

  /** How many requests wait. Under the mutex. */
  public int waitingCount() {
    return waiting.size();
  }
}
