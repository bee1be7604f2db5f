package dev.holdfast.engine;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.engine.callback.Answers;
import dev.holdfast.engine.callback.Callbacks;
import dev.holdfast.engine.callback.Events;
import dev.holdfast.engine.callback.Text;
import dev.holdfast.engine.callback.Threads;
import dev.holdfast.engine.state.ClientState;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What the parts of a client share. Immutable. */
final class Context {

  final LockStore store;
  final Ticker ticker;
  final Duration operationTimeout;
  final ClientState client;
  final Answers answers;
  final Events events;
  final Callbacks futures; // where futures complete
  final Callbacks alarms; // where actions for a loss run

  Context(EngineSettings settings) {
    this.store = settings.store();
    this.ticker = settings.ticker();
    this.operationTimeout = settings.operationTimeout();
    Claims claims = new Claims(settings.clientName());
    this.client = new ClientState(claims, operationTimeout, store.traits());
    this.answers = new Answers(ticker);
    boolean driven = !settings.ownsTicker();
    this.futures = new Callbacks(settings.executor(), driven, threads("holdfast-callback"));
    this.alarms = new Callbacks(settings.executor(), driven, threads("holdfast-alarm"));
    this.events = new Events(settings.listeners(), futures, ticker);
  }

  private Executor threads(String name) {
    Executor dedicated = ticker.dedicated();
    return dedicated != null ? dedicated : new Threads(name);
  }

  /** The end of an operation that starts now. */
  Deadline deadline() {
    return Deadline.in(operationTimeout, ticker);
  }

  /** What to throw when the store did not answer for a lease; the cause is never left out. */
  StoreException unanswered(String what, String name, @Nullable Throwable cause) {
    Throwable known =
        cause != null
            ? cause
            : new TimeoutException("no answer within " + Text.of(operationTimeout));
    return new StoreException(name, Text.noAnswer(store, what, name, known), known);
  }

  /** As {@link #unanswered}, for a question: a store that says what is wrong is believed. */
  StoreException noAnswer(String what, String name, @Nullable Throwable cause) {
    if (cause instanceof UnreadableRecordException unreadable) {
      return unreadable.of(name);
    }
    if (cause instanceof StoreException known && known.lockName().isEmpty()) {
      return new StoreException(name, String.valueOf(known.getMessage()), known);
    }
    return unanswered(what, name, cause);
  }
}
