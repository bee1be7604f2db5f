package dev.holdfast.engine;

import dev.holdfast.HoldfastListener;
import dev.holdfast.engine.Hold.Action;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the outside what happened: the listener, the flight recorder, the log, and the actions for
 * a loss. Whatever they do, the engine goes on.
 */
final class Events {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final @Nullable HoldfastListener listener;
  private final Executor executor;
  private final Callbacks alarms;
  private final Ticker ticker;
  private final AtomicBoolean listenerFailed = new AtomicBoolean();

  Events(@Nullable HoldfastListener listener, Executor executor, Callbacks alarms, Ticker ticker) {
    this.listener = listener;
    this.executor = executor;
    this.alarms = alarms;
    this.ticker = ticker;
  }

  void acquired(LocalQueue queue, Hold hold, Request request) {
    hold.event = Recorder.isOn() ? HoldEvent.start() : null;
    tell(l -> l.acquired(queue.name, hold.token, since(request.since)));
  }

  void gaveUp(LocalQueue queue, Request request) {
    tell(l -> l.gaveUp(queue.name, since(request.since)));
  }

  void released(LocalQueue queue, Hold hold) {
    endHold(queue, hold, "released");
    tell(l -> l.released(queue.name, hold.token, since(hold.since)));
  }

  void jeopardy(LocalQueue queue, Hold hold) {
    LOG.log(Level.WARNING, "Renewal of ''{0}'' is overdue", queue.name);
    Duration left = Duration.ofNanos(Math.max(0, hold.remaining(Moment.now(ticker))));
    tell(l -> l.jeopardy(queue.name, hold.token, left));
  }

  void lost(LocalQueue queue, Hold hold, String reason, List<Action> actions) {
    LOG.log(
        Level.WARNING,
        "Lease on ''{0}'' (token {1}) is lost: {2}",
        queue.name,
        Long.toString(hold.token),
        reason);
    actions.forEach(this::run);
    endHold(queue, hold, "lost");
    if (Recorder.isOn()) {
      LossEvent.tell(queue.name, hold.token, reason);
    }
    tell(l -> l.lost(queue.name, hold.token, reason));
  }

  void storeFailed(String operation, String lock, Throwable cause) {
    LOG.log(Level.DEBUG, "No answer to the " + operation + " of '" + lock + "'", cause);
    tell(l -> l.storeFailed(operation, lock, cause));
  }

  /** Runs an action for a loss on the executor it was given with. */
  void run(Action action) {
    Runnable isolated =
        () -> {
          try {
            action.task().run();
          } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "An action for a lost lease failed", e);
          }
        };
    alarms.execute(isolated, action.executor());
  }

  private void tell(Consumer<HoldfastListener> news) {
    HoldfastListener hears = listener;
    if (hears == null) {
      return;
    }
    executor.execute(
        () -> {
          try {
            news.accept(hears);
          } catch (RuntimeException | Error e) {
            listenerFailed(e);
          }
        });
  }

  private void listenerFailed(Throwable cause) {
    if (listenerFailed.compareAndSet(false, true)) {
      LOG.log(Level.ERROR, "The listener failed; further failures are not logged", cause);
    }
  }

  private static void endHold(LocalQueue queue, Hold hold, String how) {
    HoldEvent event = hold.event;
    if (event != null) {
      event.end(queue.name, hold.token, how);
    }
  }

  private Duration since(long moment) {
    return Duration.ofNanos(ticker.nanoTime() - moment);
  }
}
