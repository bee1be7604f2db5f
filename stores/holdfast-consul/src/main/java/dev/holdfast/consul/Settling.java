package dev.holdfast.consul;

import dev.holdfast.consul.SessionClass.Armed;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Tells how a claim stands that was seen in its queue, and arms its ttl: renews the session that
 * its key is on, or puts the key on the right one. A waiter is on a session of at most 10 s; who is
 * granted moves to that of its own ttl, and so does what another process had before. The create
 * index stays.
 */
final class Settling {

  private final Calls calls;
  private final Keys keys;
  private final Sessions sessions;
  private final Roll roll;
  private final Strays strays;
  private final Hints hints;
  private final Audit audit;

  Settling(
      Calls calls,
      Keys keys,
      Sessions sessions,
      Roll roll,
      Strays strays,
      Hints hints,
      Audit audit) {
    this.calls = calls;
    this.keys = keys;
    this.sessions = sessions;
    this.roll = roll;
    this.strays = strays;
    this.hints = hints;
    this.audit = audit;
  }

  /** How the claim stands in this queue, once those ahead have gone that cannot stay there. */
  CompletableFuture<Standing> settle(Claim claim, Queue queue, Deadline deadline) {
    int index = queue.indexOf(keys.claim(claim));
    return index < queue.admitted()
        ? standing(claim, queue, deadline)
        : strays
            .clear(claim.lock(), queue, index, deadline)
            .thenCompose(clear -> standing(claim, clear, deadline));
  }

  private CompletableFuture<Standing> standing(Claim claim, Queue queue, Deadline deadline) {
    int index = queue.indexOf(keys.claim(claim));
    if (index < 0) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    Entry entry = queue.entries().get(index);
    if (index < queue.admitted()) {
      return hold(claim, entry, deadline);
    }
    return arm(claim, entry, claim.waitingTtl(), true, deadline)
        .thenApply(there -> there ? queued(claim, queue, index) : gone(claim));
  }

  /** For a claim that is known to be granted: that never ends but with the claim. */
  CompletableFuture<Standing> hold(Claim claim, Entry entry, Deadline deadline) {
    return arm(claim, entry, claim.ttl(), entry.waits(), deadline)
        .thenApply(there -> there ? granted(claim, entry) : gone(claim));
  }

  Granted granted(Claim claim, Entry entry) {
    hints.guard(claim, entry);
    sessions.of(claim.ttl()).guard();
    return roll.granted(entry.key(), claim, entry.token());
  }

  private Queued queued(Claim claim, Queue queue, int index) {
    hints.await(claim, queue, index);
    return new Queued(index);
  }

  Gone gone(Claim claim) {
    String key = keys.claim(claim);
    roll.ended(key);
    hints.drop(key);
    return Gone.GONE;
  }

  /** Whether it is still there; not if the audit is about to delete it. */
  private CompletableFuture<Boolean> arm(
      Claim claim, Entry entry, Duration ttl, boolean waits, Deadline deadline) {
    SessionClass wanted = sessions.of(ttl);
    return wanted
        .arm(deadline)
        .thenCompose(
            armed -> {
              audit.now();
              String record = entry.record(claim, waits, wanted.ttl());
              if (armed.session().id().equals(entry.stored().session())
                  && record.equals(entry.stored().value())) {
                return renewed(claim, armed, ttl, waits, deadline);
              }
              return calls
                  .txn("renewal", claim.lock(), moving(entry, armed.session(), record), deadline)
                  .thenCompose(
                      done -> {
                        if (done.tookEffect()) {
                          return renewed(claim, armed, ttl, waits, deadline);
                        }
                        if (done.sessionEnded()) {
                          wanted.ended(armed.session());
                        }
                        return again(claim, ttl, waits, deadline);
                      });
            });
  }

  // Whether a session is not there, or may not have been, says nothing certain of the claim.
  private CompletableFuture<Boolean> renewed(
      Claim claim, Armed armed, Duration ttl, boolean waits, Deadline deadline) {
    return armed
        .renewed()
        .thenCompose(
            alive ->
                alive
                    ? CompletableFuture.completedFuture(!roll.isCondemned(keys.claim(claim)))
                    : again(claim, ttl, waits, deadline));
  }

  private static Txn moving(Entry entry, Session session, String record) {
    String before = entry.stored().session();
    Txn txn = new Txn().checkUnchanged(entry);
    if (!before.isEmpty() && !before.equals(session.id())) {
      txn.unlock(entry.key(), before);
    }
    return txn.lock(entry.key(), session.id(), record);
  }

  // It was changed since it was read, by another call for the same claim, or may have ended.
  private CompletableFuture<Boolean> again(
      Claim claim, Duration ttl, boolean waits, Deadline deadline) {
    String key = keys.claim(claim);
    return calls
        .sureTxn("renewal", claim.lock(), keys.reading().read(key), deadline)
        .thenCompose(
            done -> {
              Queue own = Queue.of(done.found());
              int index = own.indexOf(key);
              return index < 0
                  ? CompletableFuture.completedFuture(false)
                  : arm(claim, own.entries().get(index), ttl, waits, deadline);
            });
  }
}
