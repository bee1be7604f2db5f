package dev.holdfast.engine;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a client share. Immutable.
 *
 * @param store the store
 * @param ticker the time
 * @param operationTimeout how long one operation may take
 * @param answers waits for answers of the store
 * @param events tells what happens
 * @param futures where futures complete
 * @param alarms where actions for a loss run
 */
record Context(
    LockStore store,
    Ticker ticker,
    Duration operationTimeout,
    Answers answers,
    Events events,
    Callbacks futures,
    Callbacks alarms) {

  /** The end of an operation that starts now. */
  Deadline deadline() {
    return Deadline.in(operationTimeout, ticker);
  }

  /** What happened when nothing came. */
  TimeoutException timeout() {
    return new TimeoutException("no answer within " + Text.of(operationTimeout));
  }

  /** What to throw when the store did not answer for a lease; the cause is never left out. */
  StoreException unanswered(String what, String name, @Nullable Throwable cause) {
    String message = Text.noAnswer(store, what, name, cause);
    return new StoreException(name, message, cause == null ? timeout() : cause);
  }

  /** What to throw when the store did not answer. */
  StoreException noAnswer(String what, String name, @Nullable Throwable cause) {
    if (cause instanceof UnreadableRecordException unreadable) {
      return unreadable.of(name);
    }
    if (cause instanceof StoreException known && known.lockName().isEmpty()) {
      return new StoreException(name, String.valueOf(known.getMessage()), known);
    }
    String message = Text.noAnswer(store, what, name, cause);
    return cause == null
        ? new StoreException(name, message)
        : new StoreException(name, message, cause);
  }
}
