package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AllAnswersTest {

  private final CompletableFuture<Boolean> first = new CompletableFuture<>();
  private final CompletableFuture<Boolean> second = new CompletableFuture<>();

  @Test
  void the_answers_come_in_the_order_of_the_requests() {
    CompletableFuture<List<Boolean>> all = AllAnswers.of(List.of(first, second));

    second.complete(true);
    assertThat(all).isNotDone();
    first.complete(false);

    assertThat(all).isCompletedWithValue(List.of(false, true));
  }

  @Test
  void no_request_is_answered_by_no_answer() {
    assertThat(AllAnswers.of(List.<CompletableFuture<Boolean>>of()))
        .isCompletedWithValue(List.of());
    assertThat(AllAnswers.any(List.of())).isCompletedWithValue(false);
  }

  @Test
  void one_that_fails_is_reported_when_all_are_answered() {
    CompletableFuture<List<Boolean>> all = AllAnswers.of(List.of(first, second));

    first.completeExceptionally(new IllegalStateException("down"));
    assertThat(all).isNotDone();
    second.complete(true);

    assertThat(Failures.unwrap(all.handle((answers, failure) -> failure).join()))
        .hasMessage("down");
  }

  @Test
  void one_answer_is_enough_for_any() {
    CompletableFuture<Boolean> any = AllAnswers.any(List.of(first, second));

    first.complete(false);
    second.complete(true);

    assertThat(any).isCompletedWithValue(true);
  }
}
