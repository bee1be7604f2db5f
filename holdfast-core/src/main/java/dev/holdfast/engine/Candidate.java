package dev.holdfast.engine;

import dev.holdfast.Candidacy;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * One state machine per candidacy. Every event is a task of the Serial: elected, lost, resigned,
 * failed, closed. So the listener is never called twice at a time, and a leadership is given back
 * only after the listener was told that it has ended.
 *
 *   waiting ──► leading ──► (ended told) ──► waiting …          close ──► (ended told) ──► closed
 */
final class Candidate implements Candidacy {

  /** How long to wait before standing again when there is no hope that it works at once. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Engine engine;
  private final EngineElection election;
  private final String value;
  private final LeaderListener listener;
  private final Serial serial;
  private final CompletableFuture<Void> gone = new CompletableFuture<>();

  // Mutable state, written by tasks of the serial
  private volatile @Nullable CandidateLeadership leading; // until it has been given back
  private @Nullable CompletableFuture<Leadership> request;
  private boolean closed;

  Candidate(Engine engine, EngineElection election, String value, LeaderListener listener) {
    this.engine = engine;
    this.election = election;
    this.value = value;
    this.listener = listener;
    this.serial = new Serial(engine.alarms());
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

  /**
   * Ends a leadership, after the listener has been told.
   *
   * @return whether the listener itself asks for it, and will be told when it has returned
   */
  boolean resign(CandidateLeadership leadership) {
    boolean inside = serial.isInside();
    // A listener that resigns whenever it is elected must not keep us busy with it.
    serial.execute(() -> end(leadership, inside ? RETRY : Duration.ZERO));
    return inside;
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
    Duration half = engine.operationTimeout().dividedBy(2);
    Waits.quietly(gone, half);
    if (!gone.isDone()) { // the executor may be waiting here itself
      all.forEach(candidate -> engine.alarms().executeOwn(candidate.serial::drain));
      Waits.quietly(gone, half);
    }
  }

  private void campaign() {
    if (closed || engine.isClosed()) {
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
    } else if (!closed && !engine.isClosed()) {
      engine.ticker().schedule(RETRY, () -> serial.execute(this::campaign));
      listener.failed(cause(failure));
    }
  }

  private void lead(EngineLease lease) {
    if (closed) {
      var unusedEnd = lease.giveBack();
      return;
    }
    CandidateLeadership leadership = new CandidateLeadership(lease, this);
    leading = leadership;
    leadership.onLost(() -> serial.execute(() -> end(leadership, Duration.ZERO)));
    try {
      listener.elected(leadership);
    } catch (RuntimeException | Error e) {
      end(leadership, RETRY); // nobody leads: another candidate may do better
      throw e;
    }
  }

  private static RuntimeException cause(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private void end(CandidateLeadership leadership, Duration pause) {
    if (leading != leadership) {
      return;
    }
    leadership.ending();
    try {
      listener.ended(leadership);
    } finally {
      leadership.leave(engine);
      leading = null;
      if (pause.isZero()) {
        campaign();
      } else {
        engine.ticker().schedule(pause, () -> serial.execute(this::campaign));
      }
    }
  }

  private void leave() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (request != null) {
        request.cancel(false);
      }
      CandidateLeadership current = leading;
      if (current != null) {
        end(current, Duration.ZERO);
      }
    } finally {
      engine.withdraw(this);
      gone.complete(null);
    }
  }
}
