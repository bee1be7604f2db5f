package dev.holdfast.testkit.explorer;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What is under way between one client and the store, in the order of sending. Nothing arrives by
 * itself, except while a client closes or a blocking call is made. Not thread-safe.
 */
final class Wire {

  /** How many calls one event may make: far more than any does. */
  private static final int MOST_CALLS = 24;

  /** How deep the stack of a call may be. */
  private static final int MOST_FRAMES = 600;

  /** What happens to a call. */
  enum Mode {
    UNDER_WAY,
    AT_ONCE,
    REFUSED,
    CUT_OFF
  }

  final int client;
  private final Ticker ticker;
  final List<Message> messages = new ArrayList<>();
  final List<Message> lost = new ArrayList<>();

  // Mutable state
  Mode mode = Mode.UNDER_WAY;
  boolean unsettled; // an answer was lost, refused or late
  boolean leaveHangs; // one was sent while it was cut off: the client still waits for its answer
  boolean excessive;
  private int calls;

  Wire(int client, Ticker ticker) {
    this.client = client;
    this.ticker = ticker;
  }

  /** A new event: its calls are counted from here. */
  void begin() {
    calls = 0;
  }

  <T> CompletionStage<T> send(String verb, Supplier<CompletionStage<T>> action) {
    if (++calls > MOST_CALLS
        || (calls > 4 && Thread.currentThread().getStackTrace().length > MOST_FRAMES)) {
      excessive = true;
      return new CompletableFuture<>(); // ends the loop
    }
    return switch (mode) {
      case AT_ONCE -> action.get();
      case REFUSED -> {
        unsettled = true;
        yield CompletableFuture.failedFuture(refusal());
      }
      case CUT_OFF -> {
        unsettled = true;
        leaveHangs |= verb.equals("leave");
        yield new CompletableFuture<>();
      }
      case UNDER_WAY -> {
        Answer<T> future = new Answer<>();
        messages.add(Message.call(client, verb, ticker.nanoTime(), action, future));
        yield future;
      }
    };
  }

  /** A hint of the store; those that are under way already say as much. */
  void hint(Runnable wake) {
    boolean heard = mode != Mode.CUT_OFF;
    if (heard && messages.stream().noneMatch(Message::isHint)) {
      messages.add(Message.hint(client, ticker.nanoTime(), wake));
    }
  }

  /** Returns whether no call is under way, and none that was lost is still waited for. */
  boolean isIdle() {
    long since = ticker.nanoTime() - World.OPERATION_TIMEOUT.toNanos();
    return messages.stream().allMatch(Message::isHint)
        && lost.stream().allMatch(message -> message.isHint() || message.sent - since <= 0);
  }

  /** A wake that arrives after its registration was closed. */
  static Registration observing(Registration inner, boolean[] open) {
    return () -> {
      open[0] = false;
      inner.close();
    };
  }

  /** It never arrives. */
  void lose(Message message) {
    messages.remove(message);
    lost.add(message);
    unsettled = true;
  }

  /** The call fails at the client. */
  void refuse(Message message) {
    messages.remove(message);
    unsettled = true;
    message.fail(refusal());
  }

  /** Everything under way is lost, and what is sent from now on. */
  void cutOff() {
    List.copyOf(messages).forEach(this::lose);
    unsettled = true;
    mode = Mode.CUT_OFF;
  }

  static StoreException refusal() {
    return new StoreException("", "refused");
  }
}
