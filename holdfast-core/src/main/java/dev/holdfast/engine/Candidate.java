package dev.holdfast.engine;

import dev.holdfast.Candidacy;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.engine.state.Tenure;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * One state machine per candidacy. Every event is a task of the Serial: elected, lost, resigned,
 * failed, closed. So the listener is never called twice at a time, and a leadership is given back
 * only after the listener was told that it has ended. No task waits for the store: the answer to
 * the giving back, on whatever thread, is what makes the candidate stand again, or withdraw.
 *
 *               elected              ended told               answered
 *   standing ────────────► leading ──────────────► leaving ─────────────► standing …
 *      │                      └──── too late ─────────┘ │
 *      └─ closed ──► withdrawn ◄──────── closed ────────┘
 *
 * Whoever changes "leading" looks at "closed" and at the client afterwards, and whoever closes one
 * of those looks at "leading" afterwards: one of the two sees the other.
 */
final class Candidate implements Candidacy {

  /** A candidate stands again no sooner than this after it was elected or has failed. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Engine engine;
  private final EngineElection election;
  private final String value;
  private final LeaderListener listener;
  private final Serial serial;
  private final CompletableFuture<Void> gone = new CompletableFuture<>();

  // Mutable state
  private volatile @Nullable CandidateLeadership leading; // until it has been given back
  private volatile boolean closed;
  private volatile long elected; // when it was, the last time
  private @Nullable CompletableFuture<Leadership> request; // by tasks of the serial only

  Candidate(Engine engine, EngineElection election, String value, LeaderListener listener) {
    this.engine = engine;
    this.election = election;
    this.value = value;
    this.listener = listener;
    this.serial = new Serial(engine.context().alarms());
  }

  void start() {
    serial.execute(this::campaign);
  }

  @Override
  public boolean isLeading() {
    CandidateLeadership current = leading;
    return current != null && !current.isEnded() && current.isValid();
  }

  /** The claim that it leads with, until that has been given back. */
  @Nullable Tenure tenure() {
    CandidateLeadership current = leading;
    return current == null ? null : current.tenure();
  }

  @Override
  public void resign() {
    CandidateLeadership current = leading;
    if (current != null) {
      resign(current);
    }
  }

  /** Asks for the end of a leadership. */
  void resign(CandidateLeadership leadership) {
    serial.execute(() -> end(leadership));
  }

  @Override
  public void close() {
    closeAll(engine, List.of(this));
  }

  /** Ends all of them at the same time; waits for that, for a bounded time. */
  static void closeAll(Engine engine, Collection<Candidate> candidates) {
    List<Candidate> all = List.copyOf(candidates);
    all.forEach(candidate -> candidate.serial.execute(candidate::leave));
    CompletableFuture<Void> gone =
        CompletableFuture.allOf(
            all.stream()
                .filter(candidate -> !candidate.serial.isInside())
                .map(candidate -> candidate.gone)
                .toArray(CompletableFuture<?>[]::new));
    Duration half = engine.context().operationTimeout().dividedBy(2);
    Waits.quietly(gone, half);
    if (!gone.isDone()) { // the executor may be waiting here itself
      all.forEach(candidate -> engine.context().alarms().own().execute(candidate.serial::drain));
      Waits.quietly(gone, half);
    }
  }

  private void campaign() {
    if (isOver()) {
      return;
    }
    try {
      CompletableFuture<Leadership> asked = election.campaignAsync(value);
      request = asked;
      var unused =
          asked.whenComplete(
              (leadership, failure) -> serial.execute(() -> decided(leadership, failure)));
    } catch (IllegalStateException clientIsClosed) {
      // Its end is on the way to us too.
    }
  }

  private void decided(@Nullable Leadership leadership, @Nullable Throwable failure) {
    if (leadership != null) {
      lead((EngineLease) leadership);
    } else if (!isOver()) {
      standIn(RETRY);
      listener.failed(cause(failure));
    }
  }

  private void lead(EngineLease lease) {
    CandidateLeadership leadership = new CandidateLeadership(lease, this);
    elected = engine.context().ticker().nanoTime();
    leading = leadership;
    if (isOver() || !leadership.isValid()) { // it heard of it too late
      giveBack(leadership);
      return;
    }
    leadership.onLost(() -> resign(leadership));
    try {
      listener.elected(leadership);
    } catch (RuntimeException | Error e) {
      resign(leadership); // nobody leads: another candidate may do better
      throw e;
    }
  }

  private static RuntimeException cause(@Nullable Throwable failure) {
    Throwable cause = Answers.cause(failure);
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private void end(CandidateLeadership leadership) {
    if (leading != leadership || leadership.isEnded()) {
      return;
    }
    leadership.ending();
    try {
      listener.ended(leadership);
    } finally {
      giveBack(leadership);
    }
  }

  private void giveBack(CandidateLeadership leadership) {
    leadership.ending();
    // Whoever stands again then comes behind those who wait.
    var unused = leadership.leave().whenComplete((ours, failure) -> gaveBack());
  }

  private void gaveBack() {
    leading = null;
    if (closed) {
      withdraw();
    } else {
      // One that leads only for a moment, again and again, must not keep us busy with it.
      standIn(RETRY.minusNanos(engine.context().ticker().nanoTime() - elected));
    }
  }

  private void standIn(Duration pause) {
    Duration delay = pause.isNegative() ? Duration.ZERO : pause;
    engine.context().ticker().schedule(delay, this::start);
  }

  /** Nobody is to lead any more. */
  private boolean isOver() {
    return closed || engine.isClosed();
  }

  private void leave() {
    closed = true;
    if (request != null) {
      request.cancel(false);
    }
    CandidateLeadership current = leading;
    if (current == null) {
      withdraw();
    } else {
      end(current);
    }
  }

  private void withdraw() {
    engine.withdraw(this);
    gone.complete(null);
  }
}
