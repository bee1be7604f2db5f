package dev.holdfast.election;

import dev.holdfast.Candidacy;
import dev.holdfast.LeaderListener;
import dev.holdfast.Lease;
import dev.holdfast.engine.Closing;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLease;
import dev.holdfast.engine.EngineLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * One state machine per candidacy. Every event is a task of the Serial: elected, lost, resigned,
 * failed, closed. So the listener is never called twice at a time, and a leadership is released
 * only after the listener has returned from "ended". No task waits for the store: the answer to
 * the release, on whatever thread, makes the candidate stand again, or withdraw.
 *
 *               elected              listener done            answered
 *   standing ────────────► leading ──────────────► leaving ─────────────► standing …
 *      │                      └──── too late ─────────┘ │
 *      └─ closed ──► withdrawn ◄──────── closed ────────┘
 *
 * A change of "term" is followed by a look at "closed" and at the client, and closing one of those
 * by a look at "term": one of the two sees the other.
 */
final class Candidate implements Candidacy, Closing {

  /** A candidate stands again no sooner than this after it was elected or has failed. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Engine engine;
  private final EngineLock seat;
  private final LeaderListener listener;
  private final Serial serial;
  private final CompletableFuture<Void> withdrawn = new CompletableFuture<>();

  // Mutable state
  private volatile @Nullable Term term; // until it has been given back
  private volatile boolean closed;
  private volatile long elected; // when it was, the last time
  private @Nullable CompletableFuture<Lease> request; // by tasks of the serial only

  /**
   * @param seat the lock that a leader holds
   */
  Candidate(Engine engine, EngineLock seat, LeaderListener listener) {
    this.engine = engine;
    this.seat = seat;
    this.listener = listener;
    this.serial = new Serial(engine.alarms());
  }

  /**
   * The leadership of this candidate: closing it asks for its end. The listener runs first, so no
   * caller waits for it here: the listener may wait for the caller.
   */
  private final class Term extends LeaderLease {
    private final CompletableFuture<Boolean> left = new CompletableFuture<>();

    // Mutable state
    private volatile boolean ending; // the listener hears of its end, or will never hear of it

    Term(EngineLease lease) {
      super(lease);
    }

    @Override
    public boolean release() {
      boolean ours = isValid();
      close();
      return ours;
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
      boolean before = isClosed();
      close();
      return before ? CompletableFuture.completedFuture(false) : engine.calledBack(left);
    }

    @Override
    public void close() {
      serial.execute(() -> stop(this));
    }
  }

  void start() {
    serial.execute(this::campaign);
  }

  private void campaign() {
    if (isOver()) {
      return;
    }
    try {
      CompletableFuture<Lease> asked = seat.acquireAsync();
      request = asked;
      var unused =
          asked.whenComplete((lease, failure) -> serial.execute(() -> decided(lease, failure)));
    } catch (IllegalStateException clientIsClosed) {
      // Its end is on the way to us too.
    }
  }

  private void decided(@Nullable Lease lease, @Nullable Throwable failure) {
    if (lease != null) {
      lead(new Term((EngineLease) lease));
    } else if (!isOver()) {
      standIn(RETRY);
      listener.failed(
          failure instanceof RuntimeException known ? known : new IllegalStateException(failure));
    }
  }

  private void lead(Term won) {
    elected = engine.ticker().nanoTime();
    term = won;
    if (isOver() || !won.isValid()) { // the answer came too late
      giveBack(won);
      return;
    }
    won.onLost(won::close);
    try {
      listener.elected(won);
    } catch (RuntimeException | Error e) {
      won.close(); // nobody leads: another candidate may do better
      throw e;
    }
  }

  @Override
  public boolean isLeading() {
    Term current = term;
    return current != null && !current.ending && current.isValid();
  }

  @Override
  public void resign() {
    Term current = term;
    if (current != null) {
      current.close();
    }
  }

  private void stop(Term ended) {
    if (term != ended || ended.ending) {
      return;
    }
    ended.ending = true;
    try {
      listener.ended(ended);
    } finally {
      giveBack(ended);
    }
  }

  private void giveBack(Term ended) {
    ended.ending = true;
    // A candidate that stands again then comes behind the waiting ones.
    var unused =
        ended
            .end()
            .whenComplete(
                (ours, failure) -> {
                  if (failure != null) {
                    ended.left.completeExceptionally(failure);
                  } else {
                    ended.left.complete(ours);
                  }
                  gaveBack();
                });
  }

  private void gaveBack() {
    term = null;
    if (closed) {
      withdraw();
    } else {
      // One that leads only for a moment, again and again, must not keep us busy with it.
      standIn(RETRY.minusNanos(engine.ticker().nanoTime() - elected));
    }
  }

  private void standIn(Duration pause) {
    engine.ticker().schedule(pause.isNegative() ? Duration.ZERO : pause, this::start);
  }

  /** Nobody is to lead any more. */
  private boolean isOver() {
    return closed || engine.isClosed();
  }

  @Override
  public void close() {
    engine.closings().end(List.of(this));
  }

  @Override
  public CompletableFuture<?> end() {
    serial.execute(this::leave);
    return serial.isInside() ? CompletableFuture.completedFuture(null) : withdrawn;
  }

  @Override
  public void hurry() {
    serial.drain();
  }

  @Override
  public @Nullable EngineLease held() {
    return term;
  }

  private void leave() {
    closed = true;
    if (request != null) {
      request.cancel(false);
    }
    Term current = term;
    if (current == null) {
      withdraw();
    } else {
      stop(current);
    }
  }

  private void withdraw() {
    engine.closings().remove(this);
    withdrawn.complete(null);
  }
}
