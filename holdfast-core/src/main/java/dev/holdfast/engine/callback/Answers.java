package dev.holdfast.engine.callback;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How answers of the store come in: without a thread, each in bounded time, and never recursively.
 * One that arrives while its thread carries out effects is kept in that thread's inbox, and handled
 * when the call that brought it has returned.
 */
public final class Answers {

  private static final ThreadLocal<Answers.Inbox> INBOX = ThreadLocal.withInitial(Inbox::new);

  private final Ticker ticker;
  private final Set<Pending<?>> open = ConcurrentHashMap.newKeySet();

  public Answers(Ticker ticker) {
    this.ticker = ticker;
  }

  // ---------------------------------------------------------------- asking

  /**
   * Asks, and receives exactly one of: the answer, the failure, or a {@link TimeoutException}.
   *
   * @param then gets the answer, or null and the failure
   */
  public <T> void ask(
      Supplier<CompletionStage<T>> question,
      Duration limit,
      BiConsumer<@Nullable T, @Nullable Throwable> then) {
    CompletionStage<T> stage = asked(question);
    if (now(stage) != null) {
      hear(stage, then);
      return;
    }
    Pending<T> pending = new Pending<>(then, open);
    open.add(pending);
    hear(stage, pending::decide);
    if (!pending.get()) {
      pending.timer = ticker.schedule(limit, () -> pending.decide(null, late(limit)));
      if (pending.get()) {
        pending.timer.close();
      }
    }
  }

  private static TimeoutException late(Duration limit) {
    return new TimeoutException("no answer within " + Text.of(limit));
  }

  /** The question's stage; a failed one if the store throws, whatever it throws. */
  public static <T> CompletionStage<T> asked(Supplier<CompletionStage<T>> question) {
    try {
      return question.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Receives the answer or the failure whenever it comes. */
  public static <T> void hear(
      @Nullable CompletionStage<T> stage, BiConsumer<@Nullable T, @Nullable Throwable> then) {
    if (stage == null) {
      handle(() -> then.accept(null, new IllegalStateException("the store returned null")));
      return;
    }
    T answer = now(stage);
    if (answer != null) {
      handle(() -> then.accept(answer, null));
    } else {
      var unused =
          stage.whenComplete(
              (late, failure) ->
                  handle(
                      () -> then.accept(late, failure == null ? null : Failures.unwrap(failure))));
    }
  }

  /** An answer that is there already: fewer objects. */
  private static <T> @Nullable T now(@Nullable CompletionStage<T> stage) {
    // Only the class itself: what completedStage() makes extends it and refuses these questions.
    return stage != null
            && stage.getClass() == CompletableFuture.class
            && stage instanceof CompletableFuture<T> future
            && future.isDone()
            && !future.isCompletedExceptionally()
        ? future.join()
        : null;
  }

  /** Fails every pending request: no answer is processed any more. */
  public void close() {
    for (Pending<?> pending : open) {
      pending.decide(null, new IllegalStateException("the client is closed"));
    }
  }

  /** An answer that is waited for: received once, then forgotten. */
  private static final class Pending<T> extends AtomicBoolean {
    private static final long serialVersionUID = 1L;

    private final transient BiConsumer<@Nullable T, @Nullable Throwable> then;
    private final transient Set<Pending<?>> open;
    transient volatile Registration timer = Registration.NONE;

    Pending(BiConsumer<@Nullable T, @Nullable Throwable> then, Set<Pending<?>> open) {
      this.then = then;
      this.open = open;
    }

    void decide(@Nullable T answer, @Nullable Throwable failure) {
      if (compareAndSet(false, true)) {
        timer.close();
        open.remove(this);
        then.accept(answer, failure);
      }
    }
  }

  // ---------------------------------------------------------------- the inbox of a thread

  private static final class Inbox {
    // Mutable state, of one thread
    final ArrayDeque<Runnable> answers = new ArrayDeque<>(2);
    boolean open;
  }

  /**
   * Begins to keep answers that this thread is brought.
   *
   * @return whether the caller is to {@link #drain} them; false if somebody further out is
   */
  public static boolean open() {
    Inbox inbox = INBOX.get();
    boolean first = !inbox.open;
    inbox.open = true;
    return first;
  }

  /** Handles what was kept, and what that brings. */
  public static void drain() {
    Inbox inbox = INBOX.get();
    try {
      Runnable next;
      while ((next = inbox.answers.poll()) != null) {
        next.run();
      }
    } finally {
      inbox.open = false;
    }
  }

  /** Handles an answer: now, or when the call that brought it has returned. */
  public static void handle(Runnable answer) {
    Inbox inbox = INBOX.get();
    inbox.answers.add(answer);
    if (!inbox.open) {
      inbox.open = true;
      drain();
    }
  }

  /** The thread is about to wait inside a call: answers that it holds back must not be missed. */
  public static void beforeWaiting() {
    Inbox inbox = INBOX.get();
    Runnable next;
    while ((next = inbox.answers.poll()) != null) {
      next.run();
    }
  }

  /** Runs the caller's code, which may wait for answers, as if no call were under way. */
  public static void outside(Runnable task) {
    Inbox outer = INBOX.get();
    if (!outer.open) {
      task.run();
      return;
    }
    INBOX.set(new Inbox());
    try {
      task.run();
    } finally {
      INBOX.set(outer);
    }
  }
}
