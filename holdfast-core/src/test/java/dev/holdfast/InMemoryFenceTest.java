package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InMemoryFenceTest {

  private static final Owner OWNER = new Owner("web-3", 4121, "main", "client", "");

  private final Fence fence = Fence.inMemory();

  private static Proof exclusive(long token) {
    return new Proof("orders", token, Mode.EXCLUSIVE, OWNER);
  }

  private static Proof shared(long token) {
    return new Proof("orders", token, Mode.SHARED, OWNER);
  }

  private static Proof permit(long token) {
    return new Proof("orders", token, Mode.PERMIT, OWNER);
  }

  @Nested
  class Exclusive {

    @Test
    void an_old_writer_is_refused_after_the_new_holder_has_entered() {
      fence.enter(exclusive(1));
      fence.check(exclusive(1));
      fence.enter(exclusive(2)); // before the new holder's first read
      assertThatThrownBy(() -> fence.check(exclusive(1)))
          .isInstanceOfSatisfying(
              StaleTokenException.class,
              stale -> {
                assertThat(stale.lockName()).isEqualTo("orders");
                assertThat(stale.token()).isEqualTo(1);
                assertThat(stale.current()).isEqualTo(2);
              });
    }

    @Test
    void an_old_holder_cannot_enter_any_more() {
      fence.enter(exclusive(5));
      assertThatThrownBy(() -> fence.enter(exclusive(4))).isInstanceOf(StaleTokenException.class);
      assertThatCode(() -> fence.check(exclusive(5))).doesNotThrowAnyException();
    }

    @Test
    void a_refused_entry_does_not_move_the_fence() {
      fence.enter(exclusive(5));
      assertThatThrownBy(() -> fence.enter(exclusive(3))).isInstanceOf(StaleTokenException.class);
      assertThatThrownBy(() -> fence.check(exclusive(4)))
          .isInstanceOfSatisfying(
              StaleTokenException.class, stale -> assertThat(stale.current()).isEqualTo(5));
    }

    @Test
    void one_holder_enters_and_writes_as_often_as_it_likes() {
      for (int i = 0; i < 3; i++) {
        fence.enter(exclusive(7));
        fence.check(exclusive(7));
      }
    }

    @Test
    void checking_alone_does_not_raise_the_fence() {
      fence.check(exclusive(9));
      assertThatCode(() -> fence.enter(exclusive(1))).doesNotThrowAnyException();
    }

    @Test
    void an_untouched_fence_accepts_every_token() {
      assertThatCode(() -> fence.check(exclusive(1))).doesNotThrowAnyException();
    }
  }

  @Nested
  class Shared {

    @Test
    void readers_pass_in_any_order_and_never_raise_the_fence() {
      fence.enter(exclusive(5));
      fence.enter(shared(9));
      fence.enter(shared(7));
      fence.check(shared(7));
      assertThatCode(() -> fence.enter(exclusive(6))).doesNotThrowAnyException();
    }

    @Test
    void a_reader_older_than_the_last_writer_is_refused() {
      fence.enter(exclusive(5));
      assertThatThrownBy(() -> fence.enter(shared(4))).isInstanceOf(StaleTokenException.class);
      assertThatThrownBy(() -> fence.check(shared(4))).isInstanceOf(StaleTokenException.class);
    }
  }

  @Nested
  class Permits {

    @Test
    void permits_are_refused_and_the_message_says_to_verify_them() {
      String message =
          "permits of 'orders' are held side by side and cannot be fenced; verify them";
      assertThatThrownBy(() -> fence.enter(permit(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
      assertThatThrownBy(() -> fence.check(permit(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"EXCLUSIVE", "SHARED"})
  void each_lock_has_a_separate_fence(Mode mode) {
    fence.enter(exclusive(100));
    assertThatCode(() -> fence.enter(new Proof("other", 1, mode, OWNER)))
        .doesNotThrowAnyException();
  }

  @Test
  void of_holders_that_enter_at_the_same_time_the_greatest_token_stands() throws Exception {
    List<Long> tokens = new ArrayList<>();
    for (long token = 1; token <= 2_000; token++) {
      tokens.add(token);
    }
    Collections.shuffle(tokens, new Random(42));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Boolean>> entries = new ArrayList<>();
      tokens.forEach(token -> entries.add(() -> entersAndStays(token)));
      for (Future<Boolean> entered : threads.invokeAll(entries)) {
        assertThat(entered.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThatThrownBy(() -> fence.check(exclusive(1_999))).isInstanceOf(StaleTokenException.class);
    assertThatCode(() -> fence.check(exclusive(2_000))).doesNotThrowAnyException();
  }

  /** Returns whether the fence was consistent: a greater token is the only reason to refuse. */
  private boolean entersAndStays(long token) {
    try {
      fence.enter(exclusive(token));
      return true;
    } catch (StaleTokenException stale) {
      return stale.current() > token;
    }
  }
}
