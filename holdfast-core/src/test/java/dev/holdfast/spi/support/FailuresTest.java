package dev.holdfast.spi.support;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.engine.HandTicker;
import dev.holdfast.engine.Logs;
import dev.holdfast.spi.Deadline;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class FailuresTest {

  private static final IOException RESET = new IOException("connection reset");

  private final Failures failures = new Failures("etcd://one");
  private final HandTicker ticker = new HandTicker();

  private Deadline deadline(Duration duration) {
    return Deadline.in(duration, ticker);
  }

  @Test
  void silence_is_unknown_and_names_store_verb_and_lock() {
    StoreException silence = failures.noAnswer("release", "orders/42", "connection reset", RESET);

    assertThat(silence)
        .hasMessage(
            "No answer from etcd://one to the release of 'orders/42':"
                + " it may or may not have taken effect (connection reset).")
        .hasCause(RESET);
    assertThat(silence.lockName()).isEqualTo("orders/42");
  }

  @Test
  void silence_may_have_no_lock_and_no_cause() {
    assertThat(failures.noAnswer("renewal", "", "time-out", null))
        .hasMessage(
            "No answer from etcd://one to the renewal: it may or may not have taken effect"
                + " (time-out).")
        .hasNoCause();
  }

  @Test
  void a_refusal_gives_the_reason_of_the_store() {
    assertThat(failures.refused("join", "a", "permission denied", RESET))
        .hasMessage("etcd://one refused the join of 'a': permission denied")
        .hasCause(RESET)
        .isNotInstanceOf(NoAnswerException.class);
    assertThat(failures.refused("lease", "", "no space", null))
        .hasMessage("etcd://one refused the lease: no space")
        .hasNoCause();
  }

  @Test
  void each_operation_waits_for_a_shared_answer_until_its_own_deadline() {
    CompletableFuture<String> shared = new CompletableFuture<>();
    CompletableFuture<String> hurried =
        failures.within(shared, "lease", deadline(Duration.ofSeconds(1)));
    CompletableFuture<String> patient =
        failures.within(shared, "lease", deadline(Duration.ofSeconds(9)));

    ticker.advance(Duration.ofSeconds(2));
    shared.complete("lease 7");

    assertThatThrownBy(hurried::join).hasCauseInstanceOf(NoAnswerException.class);
    assertThat(patient).isCompletedWithValue("lease 7");
    assertThat(failures.within(shared, "lease", deadline(Duration.ZERO)))
        .isCompletedWithValue("lease 7");
  }

  @Test
  void the_shorter_deadline_of_another_operation_ends_no_operation_early() {
    CompletableFuture<String> silent =
        failedFuture(failures.noAnswer("lease", "", "time-out", null));

    assertThat(
            Failures.repeatIfUnanswered(
                silent, deadline(Duration.ofSeconds(1)), () -> completedFuture("second")))
        .isCompletedWithValue("second");
  }

  @Test
  void nothing_is_repeated_after_the_deadline_or_a_refusal() {
    CompletableFuture<String> silent =
        failedFuture(failures.noAnswer("lease", "", "time-out", null));
    CompletableFuture<String> refused = failedFuture(failures.refused("lease", "", "full", null));

    assertThat(
            Failures.repeatIfUnanswered(
                silent, deadline(Duration.ZERO), () -> completedFuture("second")))
        .isCompletedExceptionally();
    assertThat(
            Failures.repeatIfUnanswered(
                refused, deadline(Duration.ofSeconds(1)), () -> completedFuture("second")))
        .isCompletedExceptionally();
  }

  @Test
  void the_wrapping_of_stages_is_removed_and_nothing_else() {
    assertThat(Failures.unwrap(new CompletionException(RESET))).isSameAs(RESET);
    assertThat(Failures.unwrap(RESET)).isSameAs(RESET);
    CompletionException bare = new CompletionException("without a cause", null);
    assertThat(Failures.unwrap(bare)).isSameAs(bare);
  }

  @Test
  void the_reason_is_one_line_of_the_innermost_cause() {
    assertThat(Failures.reason(new CompletionException(new RuntimeException("outer", RESET))))
        .isEqualTo("connection reset");
    assertThat(Failures.reason(new IOException("first\nsecond"))).isEqualTo("first");
    assertThat(Failures.reason(new IOException())).isEqualTo("IOException");
  }

  @Test
  void the_reason_of_circular_causes_is_found() {
    RuntimeException one = new RuntimeException("one");
    one.initCause(new RuntimeException("other", one));

    assertThat(Failures.reason(one)).isIn("one", "other");
  }

  @Test
  void waiting_throws_what_the_stage_failed_with() {
    StoreException refused = failures.refused("join", "a", "full", null);

    assertThat(Failures.join(completedFuture("answer"))).isEqualTo("answer");
    assertThatThrownBy(() -> Failures.join(failedFuture(refused))).isSameAs(refused);
    assertThatThrownBy(() -> Failures.join(failedFuture(RESET)))
        .isInstanceOf(CompletionException.class)
        .hasCause(RESET);
  }

  @Test
  void a_listing_says_which_lock_it_leaves_out() {
    try (Logs.Recording logged = Logs.record()) {
      Failures.skipped(new UnreadableRecordException("orders", "key orders", "it is\ndamaged"));

      assertThat(logged.atLeast(Level.WARNING))
          .singleElement()
          .asString()
          .startsWith("Skipping unreadable lock in listing: ")
          .contains("'orders'")
          .doesNotContain("\n");
    }
  }
}
