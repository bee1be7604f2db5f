package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.HandTicker;
import dev.holdfast.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SingleFlightTest {

  private final HandTicker ticker = new HandTicker();
  private final List<CompletableFuture<String>> sent = new ArrayList<>();
  private final List<Deadline> deadlines = new ArrayList<>();
  private final SingleFlight<String> flight =
      new SingleFlight<>(
          deadline -> {
            deadlines.add(deadline);
            CompletableFuture<String> request = new CompletableFuture<>();
            sent.add(request);
            return request;
          });

  private Deadline seconds(int seconds) {
    return Deadline.in(Duration.ofSeconds(seconds), ticker);
  }

  @Test
  void callers_that_come_during_a_request_share_the_next_one() {
    CompletableFuture<String> first = flight.next(seconds(1));
    CompletableFuture<String> second = flight.next(seconds(1));
    CompletableFuture<String> third = flight.next(seconds(1));
    assertThat(sent).hasSize(1);

    sent.get(0).complete("one");
    assertThat(first).isCompletedWithValue("one");
    assertThat(second).isNotDone();
    assertThat(sent).hasSize(2);

    sent.get(1).complete("two");
    assertThat(second).isCompletedWithValue("two");
    assertThat(third).isCompletedWithValue("two");
    assertThat(sent).hasSize(2);
  }

  @Test
  void the_next_request_has_the_latest_deadline_of_its_callers() {
    Deadline latest = seconds(9);
    flight.next(seconds(1));
    flight.next(seconds(2));
    flight.next(latest);
    flight.next(seconds(3));

    sent.get(0).complete("one");

    assertThat(deadlines.get(1)).isSameAs(latest);
  }

  @Test
  void the_current_request_may_be_shared_by_a_caller_that_need_not_be_later() {
    CompletableFuture<String> started = flight.current(seconds(1));
    CompletableFuture<String> shared = flight.current(seconds(1));

    sent.get(0).complete("one");

    assertThat(started).isCompletedWithValue("one");
    assertThat(shared).isCompletedWithValue("one");
    assertThat(sent).hasSize(1);
  }

  @Test
  void a_failure_reaches_its_callers_and_the_next_request_is_sent() {
    IllegalStateException failure = new IllegalStateException("failed");
    CompletableFuture<String> first = flight.next(seconds(1));
    CompletableFuture<String> second = flight.next(seconds(1));

    sent.get(0).completeExceptionally(failure);
    sent.get(1).complete("two");

    assertThatThrownBy(first::join).hasCause(failure);
    assertThat(second).isCompletedWithValue("two");
  }

  @Test
  void a_request_that_cannot_be_sent_fails_and_blocks_no_later_one() {
    IllegalStateException failure = new IllegalStateException("not sent");
    SingleFlight<String> broken =
        new SingleFlight<>(
            deadline -> {
              throw failure;
            });

    assertThatThrownBy(() -> broken.next(seconds(1)).join()).hasCause(failure);
    assertThatThrownBy(() -> broken.next(seconds(1)).join()).hasCause(failure);
  }
}
