package dev.holdfast.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Deadline;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlineWatchTest {

  private final ManualTicker ticker = new ManualTicker();
  private final List<String> ended = new ArrayList<>();
  private final Requests.DeadlineWatch<String> watch =
      new Requests.DeadlineWatch<>(ticker, this::end);

  private void end(String request) {
    watch.remove(request);
    ended.add(request);
    if (request.equals("bad")) {
      throw new IllegalStateException("bad");
    }
  }

  private void add(String request, int millis) {
    watch.add(request, Deadline.in(Duration.ofMillis(millis), ticker));
  }

  private void pass(int millis) {
    ticker.advance(Duration.ofMillis(millis));
  }

  @Test
  void a_request_ends_at_its_deadline_and_no_earlier() {
    add("a", 10);
    pass(9);
    assertThat(ended).isEmpty();
    pass(1);
    assertThat(ended).containsExactly("a");
    assertThat(ticker.pending()).isZero();
  }

  @Test
  void an_answered_request_never_ends() {
    add("a", 10);
    watch.remove("a");
    pass(20);
    assertThat(ended).isEmpty();
    assertThat(ticker.pending()).isZero();
  }

  @Test
  void each_ends_at_its_own_deadline_in_whatever_order_they_came() {
    add("late", 30);
    add("early", 10);
    add("between", 20);
    pass(10);
    assertThat(ended).containsExactly("early");
    pass(10);
    assertThat(ended).containsExactly("early", "between");
    pass(10);
    assertThat(ended).containsExactly("early", "between", "late");
  }

  @Test
  void one_that_comes_when_the_look_is_planned_for_an_answered_one_ends_in_time() {
    add("answered", 10);
    watch.remove("answered");
    pass(5);
    add("a", 10);
    pass(9);
    assertThat(ended).isEmpty();
    pass(1);
    assertThat(ended).containsExactly("a");
  }

  @Test
  void a_thousand_requests_need_one_task() {
    for (int i = 0; i < 1_000; i++) {
      add("request " + i, 1_000 - i % 7);
      pass(0);
      assertThat(ticker.pending()).isEqualTo(1);
    }
  }

  @Test
  void a_deadline_that_is_over_ends_its_request_at_once() {
    add("a", 0);
    pass(0);
    assertThat(ended).containsExactly("a");
  }

  @Test
  void one_that_fails_to_end_keeps_no_other_waiting() {
    add("bad", 10);
    add("a", 11);
    assertThatThrownBy(() -> pass(20)).hasMessage("bad");
    assertThat(ended).containsExactly("bad", "a");
  }
}
