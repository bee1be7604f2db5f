package dev.holdfast.consul;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.holdfast.StoreException;
import dev.holdfast.consul.Sessions.Session;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.State;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.leased.HolderWatch;
import dev.holdfast.leased.LeaseClasses.LeaseClass;
import dev.holdfast.leased.LeaseClasses.LeaseClass.Armed;
import dev.holdfast.leased.Standings;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.NoAnswerException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/*
 * Consul can make a write conditional on a key, but not on a queue being empty. So a join enters
 * first, at the end, and reads the queue in the same transaction; if the lock is free that is all.
 *
 * A claim that must not stay, because it does not wait or the lock is used as something else, is
 * removed again, on the condition that the claims that block it are still there, unchanged. If
 * they are not, the join looks again, and may be granted. So a claim that fits is never removed as
 * busy, and a try behind a claim that fits is rightly answered busy. Claims that cannot stay
 * either do not count as blocking it.
 *
 * Everything depends on "no tombstone, no key of ours, and the session's gate unchanged", so that
 * a join that is carried out twice enters once, and one that was given up does not enter.
 */

/** Carries out joins. Thread-safe. */
final class JoinProtocol {

  private static final int TOMBSTONE = 0;
  private static final int OWN_KEY = 1;
  private static final int GATE = 2;
  private static final int MAX_CHECKS = Transaction.MAX_OPERATIONS - 2;
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final ConsulClient client;
  private final KeyPaths paths;
  private final Sessions sessions;
  private final ClaimRegistry registry;
  private final ConsulKeyCalls calls;
  private final HolderWatch holders;
  private final Standings<Session> standings;
  private final Ticker ticker;
  private final ConcurrentHashMap<String, Join> underWay = new ConcurrentHashMap<>();
  private final Set<String> unsent = ConcurrentHashMap.newKeySet();

  JoinProtocol(StoreParts parts, HolderWatch holders, Standings<Session> standings) {
    this.client = parts.client();
    this.paths = parts.paths();
    this.sessions = parts.sessions();
    this.registry = parts.registry();
    this.calls = parts.calls();
    this.holders = holders;
    this.standings = standings;
    this.ticker = parts.ticker();
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    Join join = new Join(claim, wait, deadline);
    underWay.put(join.key, join);
    unsent.add(join.key);
    CompletableFuture<JoinAnswer> answer = join.enter();
    var unused =
        answer.whenComplete(
            (done, failure) -> {
              underWay.remove(join.key, join);
              join.over.complete(null);
            });
    return answer;
  }

  /**
   * Stops joins that nobody waits for any more: those that have not been sent never will be.
   *
   * @return completes when none of them is under way, however they ended
   */
  CompletableFuture<Void> giveUp(Collection<Claim> claims) {
    return CompletableFuture.allOf(
        claims.stream()
            .map(claim -> underWay.get(paths.claim(claim)))
            .filter(Objects::nonNull)
            .map(Join::giveUp)
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * @return whether no join of this claim has ever been sent; then it is forgotten
   */
  boolean removeUnsent(Claim claim) {
    return unsent.remove(paths.claim(claim)) && !registry.contains(claim);
  }

  private final class Join {
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final String queue;
    private final String key;
    private final LeaseClass<Session> wanted;
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    // Mutable state: one step comes after the other
    private long gateIndex;
    private boolean unanswered;
    private boolean knownBefore;
    private volatile boolean givenUp;

    Join(Claim claim, boolean wait, Deadline deadline) {
      this.claim = claim;
      this.wait = wait;
      this.deadline = deadline;
      queue = paths.queue(claim.lock());
      key = queue + claim.id();
      wanted = sessions.classes.of(claim.ttl());
    }

    CompletableFuture<Void> giveUp() {
      givenUp = true;
      return over;
    }

    CompletableFuture<JoinAnswer> enter() {
      return deadline.isOver()
          ? failedFuture(Failures.contention(claim.lock()))
          : wanted.arm(deadline).thenCompose(this::enter);
    }

    private CompletableFuture<JoinAnswer> enter(Armed<Session> armed) {
      Session session = armed.lease();
      Transaction entry = new Transaction();
      return client
          .join(claim.lock(), entry, () -> text(entry, session), deadline)
          .thenCompose(
              result ->
                  result.tookEffect()
                      ? entered(result.found(), armed)
                      : notEntered(result, session))
          .exceptionallyCompose(failure -> failed(Failures.unwrap(failure), session));
    }

    // When it is sent: until then it may be given up, and others may write to the gate.
    private String text(Transaction entry, Session session) {
      if (givenUp) {
        throw new StoreException(claim.lock(), "given up before it was sent");
      }
      if (registry.joining(claim, deadline)) { // each time: one that has ended is not registered
        standings.drop(claim); // it may not be where it was
      }
      unsent.remove(key);
      gateIndex = session.gateIndex;
      State state = wait ? State.WAITING : State.TRYING;
      String text = ClaimFormat.joining(claim, state, session.seconds(), ticker.wallMicros());
      return entry
          .checkAbsent(paths.tombstone(claim))
          .checkAbsent(key)
          .checkIndex(session.gate, gateIndex)
          .lock(key, session.id(), text)
          .read(queue)
          .json();
    }

    private CompletableFuture<JoinAnswer> entered(List<StoredKey> keys, Armed<Session> armed) {
      if (keys.size() == 1) { // alone
        StoredKey own = keys.get(0);
        return granted(new Place(key, own.created()), own.modified(), armed);
      }
      StoredQueue now = ClaimFormat.queue(keys);
      int index = now.indexOf(claim);
      return index < now.admitted()
          ? granted(now.claims().get(index).place(), now.revision(), armed)
          : found(now);
    }

    private CompletableFuture<JoinAnswer> granted(
        Place place, long revision, Armed<Session> armed) {
      return armed
          .renewed()
          .thenCompose(
              alive -> {
                if (alive) {
                  return completedFuture(holders.granted(claim, place, revision, false));
                }
                unanswered = true; // the session may have ended, and the key with it
                return enter();
              });
    }

    private CompletableFuture<JoinAnswer> notEntered(Transaction.Result result, Session session) {
      if (result.failedAt(TOMBSTONE)) {
        return out(new Busy(null));
      }
      if (result.sessionEnded()) {
        wanted.ended(session);
        return enter();
      }
      if (result.failedAt(OWN_KEY)) {
        knownBefore = !unanswered;
        return look();
      }
      return result.failedAt(GATE)
          ? enterAfter(session.learnGate(gateIndex, deadline), session)
          : failedFuture(client.refused("join", claim.lock(), result));
    }

    /** Without an answer: refuses what was sent, so that it cannot enter late; then tries again. */
    private CompletableFuture<JoinAnswer> failed(Throwable failure, Session session) {
      if (!(failure instanceof NoAnswerException)) {
        return failedFuture(failure);
      }
      sessions.unanswered.add(session);
      if (deadline.isOver()) {
        return failedFuture(failure);
      }
      unanswered = true;
      return enterAfter(session.refuseEarlierJoins(deadline), session);
    }

    private CompletableFuture<JoinAnswer> enterAfter(
        CompletableFuture<Boolean> gate, Session session) {
      return client
          .failures()
          .within(gate, "join", deadline)
          .thenCompose(
              alive -> {
                if (!alive) {
                  wanted.ended(session);
                }
                return enter();
              });
    }

    private CompletableFuture<JoinAnswer> look() {
      return deadline.isOver()
          ? failedFuture(Failures.contention(claim.lock()))
          : calls.queue("join", claim.lock(), deadline).thenCompose(this::found);
    }

    /** Decides what becomes of a claim that may be in this queue. */
    private CompletableFuture<JoinAnswer> found(StoredQueue queue) {
      int index = queue.indexOf(claim);
      if (index < 0) {
        return enter();
      }
      ClaimRecord head = queue.head();
      boolean mayLeave = index >= queue.admitted() && !knownBefore;
      if (mayLeave && !head.agreesWith(claim.kind(), claim.capacity())) {
        return withdraw(queue, index, new Mismatch(head.kind(), head.capacity()));
      }
      if (mayLeave && !wait && !queue.isBehindKeepable(index)) {
        StoredQueue others = queue.without(queue.removable(index));
        int place = others.indexOf(claim);
        return place < others.admitted()
            ? removeAhead(queue, index)
            : withdraw(others, place, new Busy(head.owner()));
      }
      return standings
          .settle(claim, queue, List.of(), deadline)
          .thenCompose(
              standing ->
                  standing instanceof JoinAnswer stays
                      ? completedFuture(stays)
                      : enter()); // it ended before its ttl was restarted
    }

    /** Only claims that cannot stay block this one. */
    private CompletableFuture<JoinAnswer> removeAhead(StoredQueue queue, int index) {
      return calls
          .clearAhead(claim.lock(), queue, index, deadline)
          .thenCompose(cleared -> cleared.equals(queue) ? lookLater() : found(cleared));
    }

    // If the blockers are too many to check them all, the rest are read when the claim is removed.
    private CompletableFuture<JoinAnswer> withdraw(
        StoredQueue queue, int index, JoinAnswer answer) {
      List<StoredKey> blockers =
          queue.blockers(queue.claims().get(index)).stream().map(ClaimRecord::stored).toList();
      int checks = Math.min(blockers.size(), MAX_CHECKS);
      List<StoredKey> unchecked = blockers.subList(checks, blockers.size());
      Transaction withdrawal = new Transaction();
      blockers.subList(0, checks).forEach(withdrawal::checkUnchanged);
      withdrawal.delete(key);
      if (!unchecked.isEmpty()) {
        withdrawal.read(this.queue);
      }
      return client
          .transact("join", claim.lock(), withdrawal, deadline)
          .thenCompose(
              result -> {
                if (!result.tookEffect()) {
                  return look();
                }
                return result.found().containsAll(unchecked) ? out(answer) : enter();
              });
    }

    private CompletableFuture<JoinAnswer> lookLater() {
      return ticker.after(PAUSE).thenCompose(over -> look());
    }

    private CompletableFuture<JoinAnswer> out(JoinAnswer answer) {
      standings.gone(claim);
      return completedFuture(answer);
    }
  }
}
