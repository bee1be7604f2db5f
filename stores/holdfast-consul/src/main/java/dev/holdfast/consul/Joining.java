package dev.holdfast.consul;

import dev.holdfast.StoreException;
import dev.holdfast.consul.SessionClass.Armed;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/*
 * Consul can make a write conditional on a key, but not on a queue being empty. So a join enters
 * first, at the end, and reads the queue in the same transaction; if the lock is free that is all.
 *
 * Who must not stay, because it does not wait or because the lock is used as something else, takes
 * itself out again, on the condition that those who keep it out are still there, unchanged. If they
 * are not, it looks again, and may be granted. So a claim that fits is never taken out as busy, and
 * whoever comes behind a claim that fits can be told that the lock is held: it is. Those who cannot
 * stay, either, do not count as keeping it out.
 *
 * All depends on "no tombstone, no key of ours, and the session's gate as it was", so that a join
 * carried out twice enters once, and one that was given up does not enter.
 */

/** How a claim enters its queue. */
final class Joining {

  private static final int TOMBSTONE = 0;
  private static final int OWN_KEY = 1;
  private static final int GATE = 2;
  private static final int MOST_CHECKS = Txn.MOST - 2;
  private static final Duration REST = Duration.ofMillis(50);

  private final Calls calls;
  private final Keys keys;
  private final Sessions sessions;
  private final Roll roll;
  private final Settling settling;
  private final Strays strays;
  private final Ticker ticker;
  private final ConcurrentHashMap<String, Join> underWay = new ConcurrentHashMap<>();

  Joining(
      Calls calls,
      Keys keys,
      Sessions sessions,
      Roll roll,
      Settling settling,
      Strays strays,
      Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.sessions = sessions;
    this.roll = roll;
    this.settling = settling;
    this.strays = strays;
    this.ticker = ticker;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    String key = keys.claim(claim);
    Join join = new Join(claim, wait, deadline);
    underWay.put(key, join);
    var unused =
        join.enter()
            .whenComplete(
                (answer, failure) -> {
                  underWay.remove(key, join);
                  if (failure == null) {
                    join.answer.complete(answer);
                  } else {
                    join.answer.completeExceptionally(failure);
                  }
                });
    return join.answer;
  }

  /**
   * Nobody wants these claims any more: joins that are not sent yet never will be.
   *
   * @return when none of them is under way any more, however they have ended
   */
  CompletableFuture<Void> giveUp(Collection<Claim> claims) {
    List<CompletableFuture<JoinAnswer>> answers = new ArrayList<>();
    for (Claim claim : claims) {
      Join join = underWay.get(keys.claim(claim));
      if (join != null) {
        join.givenUp = true;
        answers.add(join.answer);
      }
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .exceptionally(failure -> null);
  }

  private final class Join {
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final String key;
    private final SessionClass wanted;
    private final CompletableFuture<JoinAnswer> answer = new CompletableFuture<>();

    // Mutable state: steps come one after the other
    private long gateIndex;
    private boolean inDoubt;
    private boolean knownBefore;
    private volatile boolean givenUp;

    Join(Claim claim, boolean wait, Deadline deadline) {
      this.claim = claim;
      this.wait = wait;
      this.deadline = deadline;
      key = keys.claim(claim);
      wanted = sessions.of(claim.ttl());
    }

    CompletableFuture<JoinAnswer> enter() {
      if (deadline.isOver()) {
        return late();
      }
      roll.expect(key, claim, deadline); // each time: it was struck if it had entered and was gone
      return wanted.arm(deadline).thenCompose(this::enterOn);
    }

    private CompletableFuture<JoinAnswer> enterOn(Armed armed) {
      String record = Entry.record(claim, wait, wanted.ttl(), ticker.wallMicros());
      Session session = armed.session();
      return calls
          .txnOnce("join", claim.lock(), () -> entering(session, record), deadline)
          .thenCompose(
              done ->
                  done.tookEffect()
                      ? entered(Queue.of(done.found()), armed)
                      : notEntered(done, session))
          .exceptionallyCompose(failure -> inDoubt(failure, session));
    }

    private Txn entering(Session session, String record) {
      if (givenUp) {
        throw new StoreException(claim.lock(), "given up before it was sent");
      }
      roll.call(key, claim, deadline);
      gateIndex = session.gateIndex();
      return new Txn()
          .checkAbsent(keys.tombstone(claim))
          .checkAbsent(key)
          .checkIndex(session.gate(), gateIndex)
          .lock(key, session.id(), record)
          .read(keys.queue(claim.lock()));
    }

    private CompletableFuture<JoinAnswer> entered(Queue queue, Armed armed) {
      int index = queue.indexOf(key);
      if (index >= queue.admitted()) {
        return stand(queue);
      }
      return armed
          .renewed()
          .thenCompose(
              alive -> {
                if (alive) {
                  return completed(settling.granted(claim, queue.entries().get(index)));
                }
                inDoubt = true; // the session may have ended, and the key with it
                return enter();
              });
    }

    private CompletableFuture<JoinAnswer> notEntered(Done done, Session session) {
      if (done.failedAt(TOMBSTONE)) {
        return out(new Busy(null));
      }
      if (done.sessionEnded()) {
        wanted.ended(session);
        return enter();
      }
      if (done.failedAt(OWN_KEY)) {
        knownBefore = !inDoubt;
        return look();
      }
      return done.failedAt(GATE)
          ? enterAfter(session.learnGate(gateIndex, deadline), session)
          : failed("Consul refused the join of '" + claim.lock() + "': " + done.errors().values());
    }

    /** No answer: from here on, what was sent cannot take effect; then once more. */
    private CompletableFuture<JoinAnswer> inDoubt(Throwable failure, Session session) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      if (!(cause instanceof NoAnswerException)) {
        return CompletableFuture.failedFuture(failure);
      }
      sessions.doubt(session);
      if (deadline.isOver()) {
        return CompletableFuture.failedFuture(failure);
      }
      inDoubt = true;
      return enterAfter(session.turnAway(deadline), session);
    }

    private CompletableFuture<JoinAnswer> enterAfter(
        CompletableFuture<Boolean> gate, Session session) {
      return calls
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
          ? late()
          : calls
              .sureTxn(
                  "join", claim.lock(), keys.reading().read(keys.queue(claim.lock())), deadline)
              .thenCompose(done -> stand(Queue.of(done.found())));
    }

    /** What becomes of a claim that is in the queue. */
    private CompletableFuture<JoinAnswer> stand(Queue queue) {
      int index = queue.indexOf(key);
      if (index < 0) {
        return enter();
      }
      boolean fits = index < queue.admitted();
      Entry head = queue.head();
      boolean mayGo = !fits && !knownBefore;
      if (mayGo && !head.isUsedAs(claim.kind(), claim.capacity())) {
        return withdraw(queue, index, new Mismatch(head.kind(), head.capacity()));
      }
      if (mayGo && !wait) {
        Queue others = queue.without(queue.strays(index));
        return others.indexOf(key) < others.admitted()
            ? clear(queue, index)
            : withdraw(others, others.indexOf(key), new Busy(head.owner()));
      }
      return settling
          .settle(claim, queue, deadline)
          .thenCompose(
              standing -> {
                if (standing instanceof Granted granted) {
                  return completed(granted);
                }
                if (standing instanceof Queued queued) {
                  return completed(queued);
                }
                return enter(); // it ended before its ttl was armed anew
              });
    }

    /** Only those keep it out who cannot stay. */
    private CompletableFuture<JoinAnswer> clear(Queue queue, int index) {
      return strays
          .clear(claim.lock(), queue, index, deadline)
          .thenCompose(clear -> clear.equals(queue) ? lookLater() : stand(clear));
    }

    // If there are too many to check them all, it looks who was there when it was taken out.
    private CompletableFuture<JoinAnswer> withdraw(Queue queue, int index, JoinAnswer answer) {
      List<Entry> blockers = queue.blockers(queue.entries().get(index));
      List<Entry> checked = blockers.subList(0, Math.min(blockers.size(), MOST_CHECKS));
      List<Stored> unchecked =
          blockers.subList(checked.size(), blockers.size()).stream().map(Entry::stored).toList();
      Txn txn = new Txn();
      checked.forEach(txn::checkUnchanged);
      txn.delete(key);
      if (!unchecked.isEmpty()) {
        txn.read(keys.queue(claim.lock()));
      }
      return calls
          .txn("join", claim.lock(), txn, deadline)
          .thenCompose(
              done -> {
                if (!done.tookEffect()) {
                  return look();
                }
                return done.found().containsAll(unchecked) ? out(answer) : enter();
              });
    }

    private CompletableFuture<JoinAnswer> lookLater() {
      CompletableFuture<Void> rest = new CompletableFuture<>();
      var unused = ticker.schedule(REST, () -> rest.complete(null));
      return rest.thenCompose(rested -> look());
    }

    private CompletableFuture<JoinAnswer> out(JoinAnswer answer) {
      settling.gone(claim);
      return completed(answer);
    }

    private CompletableFuture<JoinAnswer> late() {
      return failed(
          "Contention on '" + claim.lock() + "' is too high: not joined before the deadline");
    }

    private CompletableFuture<JoinAnswer> failed(String why) {
      return CompletableFuture.failedFuture(new StoreException(claim.lock(), why));
    }

    private CompletableFuture<JoinAnswer> completed(JoinAnswer answer) {
      return CompletableFuture.completedFuture(answer);
    }
  }
}
