package dev.holdfast.cli.signal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Signals that ask us to stop. While we wait for the lock, the first one ends the wait. Once the
 * command runs, the receiver passes them on to it.
 */
public final class StopRequests implements Signals.Handler {

  private final CompletableFuture<Integer> first = new CompletableFuture<>();

  // Mutable state, guarded by this
  private Signals.@Nullable Handler receiver;

  /** Starts listening. */
  public static StopRequests listen() {
    StopRequests requests = new StopRequests();
    for (String name : List.of("TERM", "INT", "HUP")) {
      Signals.handle(name, requests);
    }
    return requests;
  }

  /** Completes with the number of the first signal, unless a receiver had taken over by then. */
  public CompletableFuture<Integer> first() {
    return first;
  }

  /**
   * Signals go to the receiver from now on.
   *
   * @return false if one has come already: then nothing should be started
   */
  public synchronized boolean handOver(Signals.Handler newReceiver) {
    if (first.isDone()) {
      return false;
    }
    receiver = newReceiver;
    return true;
  }

  /** Signals are ours again. */
  public synchronized void takeBack() {
    receiver = null;
  }

  /** One at a time, so that {@link #takeBack} returns after all earlier signals were handled. */
  @Override
  public synchronized void received(String name, int number) {
    Signals.Handler current = receiver;
    if (current == null) {
      first.complete(number);
    } else {
      current.received(name, number);
    }
  }
}
