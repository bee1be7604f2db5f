package dev.holdfast.spi.support;

import dev.holdfast.PrintableText;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a store reports when a request fails: no answer, or a refusal. The message names the store,
 * the verb and the lock. Immutable and thread-safe.
 */
public final class Failures {

  private static final System.Logger LOG = System.getLogger(Failures.class.getName());
  private static final int MAX_DEPTH = 16; // causes may be circular

  private final Object store;

  /**
   * Failures of requests to one store.
   *
   * @param store its {@code toString} names it in messages: its URL without secrets
   */
  public Failures(Object store) {
    this.store = store;
  }

  /**
   * The store did not answer.
   *
   * @param verb what was requested, as in "join"
   * @param lock the lock's name, empty if the request concerns none or several
   * @param why in a few words, without a full stop
   */
  public NoAnswerException noAnswer(
      String verb, String lock, String why, @Nullable Throwable cause) {
    String request = request(verb, lock);
    return new NoAnswerException(
        lock,
        "No answer from %s to the %s: it may or may not have taken effect (%s)."
            .formatted(store, request, why),
        cause);
  }

  /**
   * The store answered that it does not carry out the request.
   *
   * @param verb what was requested, as in "join"
   * @param lock the lock's name, empty if the request concerns none or several
   * @param why the reason that the store gave
   */
  public StoreException refused(String verb, String lock, String why, @Nullable Throwable cause) {
    String message = "%s refused the %s: %s".formatted(store, request(verb, lock), why);
    return cause == null
        ? new StoreException(lock, message)
        : new StoreException(lock, message, cause);
  }

  /**
   * Logs that a listing leaves out a lock: one that cannot be read, perhaps because a newer version
   * is in use at the same time, must not hide all others.
   */
  public static void skipped(StoreException unreadable) {
    LOG.log(
        System.Logger.Level.WARNING,
        PrintableText.message("Skipping unreadable lock in listing: " + unreadable.getMessage()));
  }

  /** A join did not get through: others were faster, again and again. Nothing is stored. */
  public static StoreException contention(String lock) {
    return new StoreException(
        lock, "Contention on '" + lock + "' is too high: not joined before the deadline");
  }

  /**
   * @return the request as messages name it: "join of 'lock'"
   */
  public static String request(String verb, String lock) {
    return lock.isEmpty() ? verb : verb + " of '" + lock + "'";
  }

  /**
   * Limits how long one operation waits for a request that several operations share.
   *
   * @return the shared answer, or a {@link NoAnswerException} if there is none by the deadline
   */
  public <T> CompletableFuture<T> within(
      CompletableFuture<T> shared, String verb, Deadline deadline) {
    if (shared.isDone()) {
      return shared;
    }
    CompletableFuture<T> result = shared.copy();
    Registration timer =
        deadline.schedule(
            () ->
                result.completeExceptionally(
                    noAnswer(verb, "", "time-out", new TimeoutException())));
    var unused = result.whenComplete((answer, failure) -> timer.close());
    return result;
  }

  /**
   * Repeats a request that ended by the shorter deadline of another operation: it must not end this
   * one early.
   */
  public static <T> CompletableFuture<T> repeatIfUnanswered(
      CompletableFuture<T> shared, Deadline deadline, Supplier<CompletableFuture<T>> repetition) {
    return shared.exceptionallyCompose(
        failure ->
            unwrap(failure) instanceof NoAnswerException && !deadline.isOver()
                ? repetition.get()
                : CompletableFuture.failedFuture(failure));
  }

  /**
   * @return the failure itself, without the {@link CompletionException} that a stage wraps it in
   */
  public static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException wrapper && wrapper.getCause() != null
        ? wrapper.getCause()
        : failure;
  }

  /**
   * @return the first line of the innermost cause's message, or the name of its class if it has
   *     none: a client library's own exceptions say little more than that a request failed
   */
  public static String reason(Throwable failure) {
    Throwable innermost = failure;
    for (int depth = 0; depth < MAX_DEPTH && innermost.getCause() != null; depth++) {
      innermost = innermost.getCause();
    }
    String message = innermost.getMessage();
    return message == null
        ? innermost.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }

  /**
   * Waits for an answer.
   *
   * @throws RuntimeException what the stage failed with, unwrapped if it is unchecked
   */
  public static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
