package dev.holdfast.engine;

import dev.holdfast.Candidacy;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import java.time.Duration;
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

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Engine engine;
  private final EngineElection election;
  private final String value;
  private final LeaderListener listener;
  private final Serial serial;
  private final CompletableFuture<Void> gone = new CompletableFuture<>();

  // Mutable state, written by tasks of the serial
  private volatile @Nullable Leadership leading;
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
    Leadership current = leading;
    return current != null && current.isValid();
  }

  @Override
  public void resign() {
    serial.execute(
        () -> {
          Leadership current = leading;
          if (current != null) {
            end(current);
          }
        });
  }

  @Override
  public void close() {
    serial.execute(this::leave);
    if (!serial.isInside()) {
      Waits.quietly(gone, engine.operationTimeout());
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
      closed = true;
    }
  }

  private void decided(@Nullable Leadership leadership, @Nullable Throwable failure) {
    if (leadership != null && closed) {
      leadership.close();
    } else if (leadership != null) {
      leading = leadership;
      leadership.onLost(() -> serial.execute(() -> end(leadership)));
      listener.elected(leadership);
    } else if (!closed && !engine.isClosed()) {
      engine.ticker().schedule(RETRY, () -> serial.execute(this::campaign));
      listener.failed(cause(failure));
    }
  }

  private static RuntimeException cause(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private void end(Leadership leadership) {
    if (leading == leadership) {
      leading = null;
      try {
        listener.ended(leadership);
      } finally {
        leadership.close();
        campaign();
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
      Leadership current = leading;
      if (current != null) {
        end(current);
      }
    } finally {
      engine.withdraw(this);
      gone.complete(null);
    }
  }
}
