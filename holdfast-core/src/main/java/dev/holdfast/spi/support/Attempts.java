package dev.holdfast.spi.support;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request until it is answered, refused, or its deadline has passed: if a member does not
 * answer soon, the next one is asked. Thread-safe; the attempts come one after the other.
 *
 * @param <A> the answer
 */
public abstract class Attempts<A> {

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Sender sender;
  private final Purpose purpose;
  private final CompletableFuture<A> result = new CompletableFuture<>();

  // Mutable state
  private int count;
  private boolean mayHaveTakenEffect;
  private @Nullable Throwable reported;

  /**
   * What all requests of a client share.
   *
   * @param share how long one member may take
   */
  public record Sender(
      Members members, RequestLimiter limiter, Ticker ticker, long share, Failures failures) {}

  /**
   * What is requested.
   *
   * @param verb for messages
   * @param lock empty if it concerns none or several
   * @param urgent whether it goes ahead of those that are not
   * @param mayRepeat called before it is sent again although it may have taken effect
   */
  public record Purpose(
      String verb, String lock, Deadline deadline, boolean urgent, BooleanSupplier mayRepeat) {

    /** It may be sent again at any time. */
    public Purpose(String verb, String lock, Deadline deadline, boolean urgent) {
      this(verb, lock, deadline, urgent, () -> true);
    }
  }

  /** Nothing is sent before {@link #start}. */
  protected Attempts(Sender sender, Purpose purpose) {
    this.sender = sender;
    this.purpose = purpose;
  }

  /** Sends it to this member, which has this long to answer. */
  protected abstract CompletableFuture<A> send(int member, long nanos);

  /** What the client library says of this failure, in one line. */
  protected abstract String reason(Throwable failure);

  /**
   * Calls one of {@link #silent}, {@link #again}, {@link #refused} and {@link #fail}.
   *
   * @param shortened whether it had less than its share of time because of the deadline
   */
  protected abstract void failed(int member, boolean shortened, Throwable failure);

  /** Starts, now or when the limiter lets it. */
  public final CompletableFuture<A> start() {
    if (purpose.urgent) {
      sender.limiter.runUrgent(this::next);
    } else {
      sender.limiter.run(this::next);
    }
    return result;
  }

  private CompletableFuture<?> next() {
    count++;
    long left = purpose.deadline.remainingNanos();
    if (left <= 0) { // while it waited for the limiter
      giveUp(reported == null ? "time-out" : reason(reported));
      return result;
    }
    if (mayHaveTakenEffect && !purpose.mayRepeat.getAsBoolean()) {
      giveUp("it is not wanted any more");
      return result;
    }
    int member = sender.members.current.get();
    CompletableFuture<A> sent;
    try {
      sent = send(member, Math.min(left, sender.share));
    } catch (RuntimeException e) { // as a connection of the caller's may: it has not answered
      sent = CompletableFuture.failedFuture(e);
    }
    return sent.handle(
        (answer, failure) -> {
          if (failure == null) {
            if (!sender.members.silent.isEmpty()) {
              sender.members.answered(member);
            }
            result.complete(answer);
          } else {
            failed(member, left < sender.share, Failures.unwrap(failure));
          }
          return null;
        });
  }

  /**
   * The member has not answered: the next one is asked, or after a pause the first again.
   *
   * @param blamed whether others should not ask this member either
   */
  protected final void silent(int member, boolean blamed, Throwable failure) {
    mayHaveTakenEffect = true;
    if (blamed) {
      sender.members.failed(member, reason(failure));
    }
    again(count < sender.members.size(), failure);
  }

  /** It is sent again, now or after a pause. */
  protected final void again(boolean now, Throwable failure) {
    // An earlier error says more than the silence in which the last attempt ends.
    Throwable why = reported != null && isSilence(failure) ? reported : failure;
    reported = why;
    long left = purpose.deadline.remainingNanos();
    if (sender.members.isClosed()) {
      String silence = String.valueOf(noAnswer(reason(why), why).getMessage());
      fail(new StoreException(purpose.lock, silence, why));
    } else if (left <= 0) {
      giveUp(reason(why));
    } else if (now) {
      start();
    } else {
      sender.members.pausing(sender.ticker);
      Duration pause = Duration.ofNanos(Math.min(left, PAUSE.toNanos()));
      var unused = sender.ticker.schedule(pause, this::start);
    }
  }

  /**
   * @return true if this failure is a time-out
   */
  protected abstract boolean isSilence(Throwable failure);

  /** Only once the deadline has passed, or nothing more is to be sent. */
  private void giveUp(String why) {
    Throwable cause = reported == null ? new TimeoutException(why) : reported;
    fail(noAnswer(why, cause));
  }

  private NoAnswerException noAnswer(String why, Throwable cause) {
    return sender.failures.noAnswer(purpose.verb, purpose.lock, why, cause);
  }

  /** The store does not carry it out. */
  protected final void refused(Throwable failure) {
    fail(sender.failures.refused(purpose.verb, purpose.lock, reason(failure), failure));
  }

  /** It ends with this failure. */
  protected final void fail(Throwable failure) {
    result.completeExceptionally(failure);
  }
}
