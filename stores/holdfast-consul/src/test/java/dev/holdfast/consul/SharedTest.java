package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Deadline;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SharedTest {

  private final List<CompletableFuture<String>> sent = new ArrayList<>();
  private final List<Deadline> deadlines = new ArrayList<>();
  private final Shared<String> shared =
      new Shared<>(
          deadline -> {
            CompletableFuture<String> request = new CompletableFuture<>();
            sent.add(request);
            deadlines.add(deadline);
            return request;
          });

  @Test
  void whoever_asks_while_a_request_is_under_way_gets_the_answer_to_the_next() {
    CompletableFuture<String> early = shared.ask(Deadlines.far());
    CompletableFuture<String> late = shared.ask(Deadlines.far());
    CompletableFuture<String> later = shared.ask(Deadlines.far());
    assertThat(sent).hasSize(1);

    sent.get(0).complete("first");
    assertThat(early).isCompletedWithValue("first");
    assertThat(late).isNotDone();
    assertThat(sent).hasSize(2);

    sent.get(1).complete("second");
    assertThat(late).isCompletedWithValue("second");
    assertThat(later).isCompletedWithValue("second");
    assertThat(sent).as("nobody asked any more").hasSize(2);
  }

  @Test
  void a_request_that_fails_fails_for_those_who_wait_for_it_and_not_for_the_others() {
    CompletableFuture<String> early = shared.ask(Deadlines.far());
    CompletableFuture<String> late = shared.ask(Deadlines.far());

    sent.get(0).completeExceptionally(new IllegalStateException("no answer"));
    sent.get(1).complete("second");

    assertThat(early).isCompletedExceptionally();
    assertThat(late).isCompletedWithValue("second");
  }

  @Test
  void whom_any_answer_serves_does_not_cause_another_request() {
    CompletableFuture<String> early = shared.ask(Deadlines.far());
    CompletableFuture<String> content = shared.askUnlessAsked(Deadlines.far());
    sent.get(0).complete("first");

    assertThat(early).isCompletedWithValue("first");
    assertThat(content).isCompletedWithValue("first");
    assertThat(sent).hasSize(1);
    assertThat(shared.askUnlessAsked(Deadlines.far())).isNotDone();
    assertThat(sent).hasSize(2);
  }

  @Test
  void the_next_request_is_not_given_up_before_the_last_of_those_who_wait_for_it() {
    Deadline soon = Deadlines.in(Duration.ofSeconds(1));
    Deadline later = Deadlines.in(Duration.ofSeconds(10));
    shared.ask(soon);
    shared.ask(soon);
    shared.ask(later);
    shared.ask(soon);

    sent.get(0).complete("first");

    assertThat(deadlines).containsExactly(soon, later);
  }
}
