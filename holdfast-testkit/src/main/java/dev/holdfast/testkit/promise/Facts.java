package dev.holdfast.testkit.promise;

import dev.holdfast.testkit.promise.Life.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known after each observation: who waits, who holds, who stands still, since when all is
 * calm. Not thread-safe.
 */
final class Facts {

  /** Whom trouble concerns if it concerns all. */
  static final String ALL = "*";

  /** One lock. */
  static final class Lock {
    final List<Life> live = new ArrayList<>(); // waiting or holding
    final List<Life> past = new ArrayList<>(); // of which the store may have traces
    long freeSince = Long.MIN_VALUE;

    boolean isHeld() {
      for (Life life : live) {
        if (life.isHolding()) {
          return true;
        }
      }
      return false;
    }
  }

  final Terms terms;
  private final long notice;
  private final Map<String, Lock> locks = new HashMap<>();
  private final Map<String, Map<Long, Life>> lives = new HashMap<>();
  private final Set<String> troubled = new HashSet<>();
  private final Set<String> paused = new HashSet<>();
  private final Map<String, Long> lastTrouble = new HashMap<>();

  // Mutable state
  private long lastOfAnybody = Long.MIN_VALUE;
  private String lastWho = "";
  private String lastClient = "";

  Facts(Terms terms) {
    this.terms = terms;
    this.notice = terms.most(terms.renewEvery().plus(terms.operationTimeout()).toNanos());
  }

  Lock lock(String name) {
    return locks.computeIfAbsent(name, key -> new Lock());
  }

  Map<String, Lock> locks() {
    return locks;
  }

  /** {@return the attempt that the observation belongs to; null if it belongs to none} */
  @Nullable Life life(Observation o) {
    Map<Long, Life> own = o.attempt() == 0 ? null : lives.get(client(o));
    return own == null ? null : own.get(o.attempt());
  }

  private String client(Observation o) {
    if (!o.who().equals(lastWho)) { // often it is the same as before
      lastWho = o.who();
      lastClient = o.client();
    }
    return lastClient;
  }

  boolean isPaused(String client) {
    return paused.contains(client);
  }

  /** {@return whether nothing was out of order for this client, and for all, since then} */
  boolean isCalm(String client, long since) {
    return !troubled.contains(ALL)
        && !troubled.contains(client)
        && !paused.contains(client)
        && lastTrouble.getOrDefault(ALL, Long.MIN_VALUE) <= since
        && lastTrouble.getOrDefault(client, Long.MIN_VALUE) <= since;
  }

  /** {@return since when nothing is out of order for anybody; {@link Long#MAX_VALUE} if it is} */
  long calmSince() {
    return troubled.isEmpty() && paused.isEmpty() ? lastOfAnybody : Long.MAX_VALUE;
  }

  /**
   * {@return since when nothing is out of order for this client, nor what was out of order before
   * shows any more; {@link Long#MAX_VALUE} if it is not so}
   */
  long settled(String client) {
    Long last = lastTrouble.get(client);
    return isTroubled(client)
        ? Long.MAX_VALUE
        : last == null ? Long.MIN_VALUE : last + terms.most(terms.takeover().toNanos());
  }

  private boolean isTroubled(String client) {
    return troubled.contains(client) || paused.contains(client);
  }

  /** {@return whether the holder need not know yet that its lock was broken} */
  boolean isExcused(Life life, long at) {
    return life.broken && (at - life.brokenAt <= notice || !isCalm(life.client(), life.brokenAt));
  }

  void follow(Observation o) {
    Life life = life(o);
    switch (o.what()) {
      case ASKED -> ask(o);
      case GRANTED, ATTACHED -> hold(Objects.requireNonNull(life), o);
      case VALID -> Objects.requireNonNull(life).until = o.until();
      case OVER -> end(Objects.requireNonNull(life), o);
      case LOST, GONE -> {
        Life lost = Objects.requireNonNull(life);
        lost.lost = lost.lost == null ? o : lost.lost;
        end(lost, o);
      }
      case EXTENDED -> limit(Objects.requireNonNull(life), Objects.requireNonNull(o.request()), o);
      case DOWNGRADED -> {
        Objects.requireNonNull(life).weight = 1;
        life.shared = true;
      }
      case RELEASING, DETACHED -> {
        Objects.requireNonNull(life).releasing = o;
        end(life, o);
      }
      case RELEASED -> {
        Objects.requireNonNull(life).released = true;
        boolean leaves = !isTroubled(life.client()); // or is kept, and hears that it is wanted
        life.tracesUntil = o.at() + life.keptAtMost + (leaves ? 0 : traces());
      }
      case BUSY, UNKNOWN, CANCELLED, REFUSED -> end(Objects.requireNonNull(life), o);
      case BROKE -> breakLock(lock(o.lock()), o);
      case FORGOT -> {
        disturb(ALL, o.at());
        locks.values().forEach(lock -> breakLock(lock, o));
      }
      case CRASHED -> crash(o);
      case PAUSED, RESUMED -> pause(o);
      case TROUBLE -> {
        troubled.add(o.client());
        disturb(o.client(), o.at());
      }
      case CALM -> {
        troubled.remove(o.client());
        disturb(o.client(), o.at());
      }
      case REENTERED, JEOPARDY, ENTERED, WROTE, STALE, FOUND -> {}
    }
  }

  private void ask(Observation o) {
    Life life = new Life(o);
    Lock lock = lock(o.lock());
    for (Life other : lock.live) {
      life.headSince = other.isOfSameClient(life) ? Long.MAX_VALUE : life.headSince;
    }
    lock.live.add(life);
    lock.past.removeIf(old -> old.tracesUntil < o.at() - terms.ttl().toNanos());
    lives.computeIfAbsent(o.client(), key -> new HashMap<>()).put(o.attempt(), life);
  }

  private void hold(Life life, Observation o) {
    life.stage = Stage.HOLDING;
    life.granted = o;
    life.token = o.token();
    life.until = o.until();
    limit(life, life.request, o);
    life.broken = life.brokenAt != 0 && o.at() - life.brokenAt <= notice;
    for (List<Life> some : List.of(lock(o.lock()).live, lock(o.lock()).past)) {
      for (Life other : some) { // the claim of an earlier hold, which was broken, was passed on
        if (other != life && other.broken && other.isOfSameClient(life)) {
          life.broken |= o.at() - other.brokenAt <= notice;
          life.brokenAt = Math.max(life.brokenAt, other.brokenAt);
        }
      }
    }
  }

  private void limit(Life life, Request limits, Observation from) {
    life.keptUntil = limits.minHold() == 0 ? from.at() : from.at() + terms.least(limits.minHold());
    life.keptAtMost = limits.minHold() == 0 ? 0 : terms.most(limits.minHold());
    life.heldUntil =
        limits.isLimited() ? from.at() + terms.most(limits.maxHold()) : Observation.UNTIL_TOLD;
  }

  private void end(Life life, Observation o) {
    if (o.what() == What.OVER || o.what() == What.LOST || o.what() == What.GONE) {
      life.over = life.over == null ? o : life.over;
    }
    if (life.stage == Stage.ENDED) {
      return;
    }
    boolean told = o.what() == What.BUSY || o.what() == What.REFUSED; // it has left before
    life.tracesUntil = o.at() + life.keptAtMost + (told ? 0 : traces());
    boolean stays = o.what() == What.OVER; // its caller does not know, and has it still
    if (!stays) {
      bury(life, o.at());
    }
  }

  private void bury(Life life, long at) {
    Lock lock = lock(life.asked.lock());
    life.stage = Stage.ENDED;
    lock.live.remove(life);
    lock.past.add(life);
    lock.freeSince = lock.isHeld() ? lock.freeSince : at + life.keptAtMost;
    Life first = null;
    for (Life other : lock.live) {
      first = first == null && other.isOfSameClient(life) ? other : first;
    }
    if (first != null && first.headSince == Long.MAX_VALUE) {
      first.headSince = at;
    }
  }

  private static void breakLock(Lock lock, Observation o) {
    for (List<Life> some : List.of(lock.live, lock.past)) {
      for (Life life : some) {
        life.brokenAt = o.at();
        life.broken |= life.granted != null;
        life.surelyBroken |= life.isHolding();
      }
    }
    lock.freeSince = Math.max(lock.freeSince, o.at());
  }

  private void crash(Observation o) {
    Map<Long, Life> own = lives.remove(o.client());
    if (own != null) {
      for (Life life : own.values()) {
        if (life.stage != Stage.ENDED) {
          end(life, o);
        }
      }
    }
    paused.remove(o.client());
    troubled.remove(o.client());
    lastOfAnybody = o.at();
    leaveTraces(o.client(), o.at());
  }

  private void pause(Observation o) {
    if (o.what() == What.PAUSED) {
      paused.add(o.client());
    } else {
      paused.remove(o.client());
    }
    disturb(o.client(), o.at());
    lives.getOrDefault(o.client(), Map.of()).values().forEach(life -> life.disturbed = true);
  }

  private void disturb(String client, long at) {
    lastTrouble.put(client, at);
    lastOfAnybody = at;
    leaveTraces(client, at);
  }

  private long traces() {
    return 3 * terms.most(terms.ttl().toNanos());
  }

  /** What the client keeps may stay: it does not hear that others want it, or cannot leave. */
  private void leaveTraces(String client, long at) {
    long keeps = terms.most(terms.keeps().toNanos());
    for (Lock lock : locks.values()) {
      for (Life life : lock.past) {
        Observation left = life.releasing;
        if (left != null && at - left.at() <= keeps && life.isOf(client)) {
          life.tracesUntil = Math.max(life.tracesUntil, at + traces());
        }
      }
    }
  }
}
