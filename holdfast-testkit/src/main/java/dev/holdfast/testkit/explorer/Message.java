package dev.holdfast.testkit.explorer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that is under way: first its request, then its answer. A hint is an answer without a
 * request. Not thread-safe.
 */
final class Message {

  final int client;
  final String verb;
  final long sent;
  private final Delivery<?> delivery;

  // Mutable state
  boolean arrived;
  private boolean answered;

  private Message(int client, String verb, long sent, Delivery<?> delivery) {
    this.client = client;
    this.verb = verb;
    this.sent = sent;
    this.delivery = delivery;
  }

  /** A call of the store. */
  static <T> Message call(
      int client, String verb, long sent, Supplier<CompletionStage<T>> action, Answer<T> future) {
    return new Message(client, verb, sent, new Delivery<>(action, future));
  }

  /** A hint of the store. */
  static Message hint(int client, long sent, Runnable wake) {
    Answer<Boolean> future = new Answer<>();
    var unused = future.whenComplete((hinted, failure) -> wake.run()); // as often as it arrives
    Delivery<Boolean> delivery =
        new Delivery<>(() -> CompletableFuture.completedFuture(true), future);
    delivery.arrive();
    Message message = new Message(client, "hint", sent, delivery);
    message.arrived = true;
    return message;
  }

  boolean isHint() {
    return verb.equals("hint");
  }

  /** The request arrives at the store, which acts on it. */
  void arrive() {
    delivery.arrive();
    arrived = true;
  }

  /** The request arrives once more; its answer is dropped. */
  void arriveAgain() {
    var unused = delivery.action.get();
  }

  /** The answer arrives at the client, for the first time or once more. */
  void answer() {
    if (answered) {
      delivery.future.repeat();
    } else {
      answered = true;
      delivery.answer();
    }
  }

  /** The client gets a failure instead. */
  void fail(RuntimeException cause) {
    delivery.future.completeExceptionally(cause);
  }

  /** For traces. */
  String describe() {
    String what = isHint() ? "hint" : (arrived ? "answer to " : "request ") + verb;
    return (answered ? "once more " : "")
        + what
        + (arrived ? " to client " : " of client ")
        + client;
  }

  private static final class Delivery<T> {
    final Supplier<CompletionStage<T>> action;
    final Answer<T> future;

    // Mutable state
    @Nullable T answer;

    Delivery(Supplier<CompletionStage<T>> action, Answer<T> future) {
      this.action = action;
      this.future = future;
    }

    void arrive() {
      answer = action.get().toCompletableFuture().join();
    }

    void answer() {
      future.complete(answer);
    }
  }
}
