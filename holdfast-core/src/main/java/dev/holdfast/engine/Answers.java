package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for answers of the store without a thread, each for a bounded time. */
final class Answers {

  private final Ticker ticker;
  private final Set<Pending<?>> open = ConcurrentHashMap.newKeySet();

  Answers(Ticker ticker) {
    this.ticker = ticker;
  }

  /**
   * Asks, and hears exactly one of: the answer, the failure, or a {@link TimeoutException}.
   *
   * @param then gets the answer, or null and the failure
   */
  <T> void ask(
      Supplier<CompletionStage<T>> question,
      Duration limit,
      BiConsumer<@Nullable T, @Nullable Throwable> then) {
    CompletionStage<T> stage = asked(question);
    T answer = now(stage);
    if (answer != null) {
      Inbox.handle(() -> then.accept(answer, null));
      return;
    }
    Pending<T> pending = new Pending<>(then, open);
    open.add(pending);
    var unused = stage.whenComplete(pending::answered);
    if (!pending.isDone()) {
      pending.timer =
          ticker.schedule(
              limit,
              () ->
                  pending.decide(null, new TimeoutException("no answer within " + Text.of(limit))));
      if (pending.isDone()) {
        pending.timer.close();
      }
    }
  }

  /** The question's stage; a failed one if the store throws, whatever it throws, or forgets it. */
  static <T> CompletionStage<T> asked(Supplier<CompletionStage<T>> question) {
    try {
      return present(question.get());
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /** The stage, or a failed one if the store forgot to return one. */
  static <T> CompletionStage<T> present(@Nullable CompletionStage<T> stage) {
    return stage != null
        ? stage
        : CompletableFuture.failedStage(new IllegalStateException("the store returned null"));
  }

  /** An answer that is there already, as the memory store's are: no timer, fewer objects. */
  static <T> @Nullable T now(CompletionStage<T> stage) {
    // Only the class itself: what completedStage() makes extends it and refuses these questions.
    return stage.getClass() == CompletableFuture.class
            && stage instanceof CompletableFuture<T> future
            && future.isDone()
            && !future.isCompletedExceptionally()
        ? future.join()
        : null;
  }

  /** What went wrong, without the wrapping of stages. */
  static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Nobody will hear an answer any more: whoever waits for one is told. */
  void close() {
    for (Pending<?> pending : open) {
      pending.decide(null, new IllegalStateException("the client is closed"));
    }
  }

  private static final class Pending<T> extends AtomicBoolean {
    private static final long serialVersionUID = 1L;

    private final transient BiConsumer<@Nullable T, @Nullable Throwable> then;
    private final transient Set<Pending<?>> open;
    transient volatile Registration timer = Registration.NONE;

    Pending(BiConsumer<@Nullable T, @Nullable Throwable> then, Set<Pending<?>> open) {
      this.then = then;
      this.open = open;
    }

    boolean isDone() {
      return get();
    }

    void answered(@Nullable T answer, @Nullable Throwable failure) {
      timer.close();
      Inbox.handle(() -> decide(answer, cause(failure)));
    }

    void decide(@Nullable T answer, @Nullable Throwable failure) {
      if (compareAndSet(false, true)) {
        open.remove(this);
        then.accept(answer, failure);
      }
    }
  }
}
