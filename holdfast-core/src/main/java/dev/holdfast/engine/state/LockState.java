package dev.holdfast.engine.state;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
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

  public final String name;
  final ClientState client;

  // Mutable state
  final ArrayDeque<Request> waiting = new ArrayDeque<>(2);
  public final List<Tenure> granted = new ArrayList<>(1);
  List<Request> leaving = List.of(); // their limit has struck: the leave of their claim decides
  List<Tenure> ending = List.of(); // released, but not published: their leave is under way
  int tries; // how many of those waiting do not wait for a turn
  @Nullable Tenure pending;
  @Nullable Map<Thread, Hold> others; // holders but for the exclusive one
  public @Nullable Hold exclusive; // its own thread reads it without the mutex, for re-entry
  int room; // how often somebody may have made room
  int cancelled; // joins that were taken back on the way, until their leave is answered
  public long highest; // of the tokens given to holders
  boolean looking; // a look at lost holds is planned
  long lookAt;
  int demand; // how many tokens the last slice could have used
  boolean idleTimed; // a look at the end of a kept claim is planned
  boolean closed;
  public boolean retired; // nothing is left, so another one must be made

  /** A lock that this client does not use yet. */
  public LockState(String name, ClientState client) {
    this.name = name;
    this.client = client;
  }

  // ---------------------------------------------------------------- holders

  /** What this thread holds and may enter again. */
  public @Nullable Hold heldBy(@Nullable Thread thread) {
    Hold hold = exclusive;
    if (hold != null && hold.thread == thread) {
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
    if (hold == exclusive) {
      exclusive = null;
    } else if (hold.thread != null && others != null) {
      others.remove(hold.thread, hold);
    }
  }

  void removeHolders() {
    others = null;
    exclusive = null;
  }

  /**
   * Forgets lost holds whose threads have ended: nobody can enter or close them any more.
   *
   * @return whether there are lost ones of living threads
   */
  boolean forgetEndedThreads() {
    Hold hold = exclusive;
    if (hold != null && hold.isOver() && !hold.isEnterable()) {
      exclusive = null;
    }
    if (others != null) {
      others.values().removeIf(other -> other.isOver() && !other.isEnterable());
    }
    return (exclusive != null && exclusive.isOver())
        || (others != null && others.values().stream().anyMatch(Hold::isOver));
  }

  boolean isUnused() {
    return granted.isEmpty()
        && pending == null
        && leaving.isEmpty()
        && ending.isEmpty()
        && cancelled == 0
        && exclusive == null
        && (others == null || others.isEmpty());
  }

  // ---------------------------------------------------------------- requests

  void enqueue(Request request) {
    waiting.addLast(request);
    tries += request.waits ? 0 : 1;
  }

  boolean remove(Request request) {
    boolean there = waiting.remove(request);
    tries -= there && !request.waits ? 1 : 0;
    return there;
  }

  /**
   * It does not wait for a leave any more.
   *
   * @return whether it did
   */
  boolean hasLeft(Request request) {
    return !leaving.isEmpty() && leaving.remove(request);
  }

  /** Its claim leaves: the answer to that decides it. */
  void leaves(Request request, Tenure tenure) {
    remove(request);
    request.leaving = tenure;
    leaving = leaving.isEmpty() ? new ArrayList<>(1) : leaving;
    leaving.add(request);
  }

  /**
   * {@return whether a request waits that this claim can serve, and that still waits for a turn}
   */
  boolean isWanted(Tenure tenure) {
    for (Request request : waiting) {
      if (request.waits && tenure.serves(request)) {
        return true;
      }
    }
    return false;
  }

  /** The store has answered for this claim: those who wait with it ride out a later silence. */
  void confirm(Tenure tenure) {
    for (Request request : waiting) {
      request.confirmed |= tenure.serves(request);
    }
  }

  /** Its last hold is released; the event is published with the answer to its leave. */
  void ends(Tenure tenure) {
    ending = ending.isEmpty() ? new ArrayList<>(1) : ending;
    ending.add(tenure);
  }

  /** That event was published, or the claim was handed off. */
  void hasEnded(Tenure tenure) {
    if (!ending.isEmpty()) {
      ending.remove(tenure);
    }
  }

  // ---------------------------------------------------------------- what is known

  private boolean isKnownToWait(Moment now) {
    // What was confirmed long ago proves nothing: a place in the queue may have died unnoticed.
    Tenure asked = pending;
    return asked != null
        && asked.phase != Phase.JOINING
        && !asked.unsure
        && !Tries.awaitsOwner(asked, now)
        && asked.isRecentlyConfirmed(now, room);
  }

  /** {@return whether claims of others are ahead of it, so that the store reports its turn} */
  boolean awaitsOthers(Tenure asked) {
    return client.pushes
        && asked.phase == Phase.QUEUED
        && asked.spec.mode == Mode.EXCLUSIVE
        && asked.position > 1 + granted.size();
  }

  /** {@return whether somebody is certainly ahead of a new request} */
  boolean isKnownBusy(Moment now) {
    return isKnownToWait(now) || holdsAlone(now);
  }

  /** {@return whether an exclusive claim of ours is valid} */
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
    Tenure known = isKnownToWait(now) ? pending : null;
    for (Tenure tenure : granted) {
      known = tenure.remaining(now) > 0 && !tenure.isKept() ? tenure : known;
    }
    return known == null || known.spec.agreesWith(request.spec)
        ? null
        : request.spec.mismatch(name, known.spec);
  }

  /** {@return whether a claim with spares is one that its client may keep} */
  boolean isKeepable(LockSpec spec) {
    return client.tellsHolders
        && spec.mode == Mode.EXCLUSIVE
        && spec.options.handOff()
        && spec.kind != Kind.ELECTION;
  }

  /** A tenure that nobody runs on, if there is one. */
  @Nullable Tenure idle() {
    for (int i = 0; i < granted.size(); i++) {
      if (granted.get(i).holds.isEmpty()) {
        return granted.get(i);
      }
    }
    return null;
  }

  // ---------------------------------------------------------------- tokens

  /** For the next slice of a claim: as many as wait, or more if the client keeps coming back. */
  int sparesOfSlice(Tenure tenure) {
    return tenure.slice.hot || tenure.slice.passes >= Slice.PASSES
        ? Slice.PASSES
        : Math.min(Slice.PASSES, Math.max(waiting.size(), demand));
  }

  /**
   * One for each other request that waits here, or as many as the last slice could have used. A
   * reader asks for as many as read here already: more will come.
   */
  int wantedSpares(LockSpec spec) {
    int others = waiting.size() - 1;
    int wanted = others > 0 ? Math.max(others, demand) : 0;
    if (spec.mode == Mode.SHARED) {
      for (Tenure tenure : granted) {
        wanted += tenure.holds.size();
      }
    }
    return Math.min(Slice.PASSES, wanted);
  }

  /** The tokens at or below this are not used any more. */
  long floor(Moment now) {
    return client.raised.floors.isEmpty() ? 0 : client.raised.of(name, now.nanos);
  }

  /**
   * The floor that a claim brings to the store. A granted one brings only what was raised: it has
   * its token, and the store would have to note a floor that no later grant needs.
   */
  long floorToSend(boolean granted, Moment now) {
    long seen = granted ? 0 : Math.min(client.seen.get(), now.wallMicros);
    // A store refuses greater ones, and knows by itself what it has granted.
    return Math.min(client.maxFloor, Math.max(Math.max(seen, highest), floor(now)));
  }
}
