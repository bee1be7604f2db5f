package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for what a store answers. */
public final class Answers {

  /** Far beyond what any store needs: only a hang takes this long. */
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  private Answers() {}

  /** The answer. Fails if it does not come, or is an error. */
  public static <T> T of(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("the store answered with an error: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("the store did not answer within " + PATIENCE, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the store", e);
    }
  }

  /** Asserts that the store refuses the call as one that it cannot do, and says why. */
  public static void refused(String what, Supplier<CompletionStage<?>> call) {
    Throwable thrown = catchThrowable(() -> of(call.get()));
    assertThat(thrown).as(what + " must be refused").isNotNull();
    Throwable cause = thrown instanceof AssertionError ? thrown.getCause() : thrown;
    assertThat(cause)
        .as(what + " must be refused with a clear error")
        .isInstanceOfAny(IllegalArgumentException.class, UnsupportedOperationException.class);
    assertThat(cause).message().as("message of the refusal of " + what).isNotBlank();
  }
}
