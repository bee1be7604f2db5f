package dev.holdfast.consul;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The session for all claims of one ttl; replaced when it may have ended. Any threads. */
final class SessionClass {

  private final Duration ttl;
  private final Calls calls;
  private final Keys keys;
  private final Vigil vigil;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable CompletableFuture<Session> session;

  SessionClass(Duration ttl, Calls calls, Keys keys, Vigil vigil, Ticker ticker) {
    this.ttl = ttl;
    this.calls = calls;
    this.keys = keys;
    this.vigil = vigil;
    this.ticker = ticker;
  }

  /**
   * A session that is being renewed.
   *
   * @param renewed whether it was there all the time, by a renewal sent after it was asked for
   */
  record Armed(Session session, CompletableFuture<Boolean> renewed) {}

  Duration ttl() {
    return ttl;
  }

  /** The session, renewed from now on. */
  CompletableFuture<Armed> arm(Deadline deadline) {
    CompletableFuture<Session> known;
    CompletableFuture<Session> fresh = null;
    mutex.lock();
    try {
      Session used = current();
      if (session == null || (used != null && used.mayHaveEnded())) {
        fresh = new CompletableFuture<>();
        session = fresh;
      }
      known = session;
    } finally {
      mutex.unlock();
    }
    if (fresh != null) {
      open(fresh, deadline);
      return fresh.thenApply(made -> new Armed(made, CompletableFuture.completedFuture(true)));
    }
    return calls
        .within(known, "session", deadline)
        .thenApply(
            made -> new Armed(made, calls.within(renew(made, deadline), "renewal", deadline)))
        .exceptionallyCompose(failure -> armAgain(failure, deadline));
  }

  // Whoever opened the session had less time.
  private CompletableFuture<Armed> armAgain(Throwable failure, Deadline deadline) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof NoAnswerException && !deadline.isOver()
        ? arm(deadline)
        : CompletableFuture.failedFuture(failure);
  }

  /** From now on those who hold a lock on the session are told when it has ended. */
  void guard() {
    Session used = current();
    if (used != null) {
      vigil.over(used.id(), ttl);
    }
  }

  /** Puts this session out of use: it has ended, or may have. */
  void ended(Session which) {
    mutex.lock();
    try {
      if (current() == which) {
        session = null;
      }
    } finally {
      mutex.unlock();
    }
  }

  /** The session that is in use now, if it is there already. */
  @Nullable Session current() {
    mutex.lock();
    try {
      return session == null || !session.isDone() || session.isCompletedExceptionally()
          ? null
          : session.join();
    } finally {
      mutex.unlock();
    }
  }

  private CompletableFuture<Boolean> renew(Session made, Deadline deadline) {
    return made.renew(deadline)
        .thenApply(
            alive -> {
              if (!alive) {
                ended(made);
              }
              return alive;
            });
  }

  private void open(CompletableFuture<Session> fresh, Deadline deadline) {
    var unused =
        Session.open(ttl.toSeconds(), calls, keys, ticker, deadline)
            .whenComplete(
                (made, failure) -> {
                  if (failure == null) {
                    fresh.complete(made);
                    return;
                  }
                  mutex.lock();
                  try {
                    session = null;
                  } finally {
                    mutex.unlock();
                  }
                  fresh.completeExceptionally(failure);
                });
  }
}
