package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LockExceptionTest {

  @Test
  void a_loss_carries_the_lock_and_the_token_and_says_what_to_do() {
    LeaseLostException lost = new LeaseLostException("orders/42", 118, "ended 1200 ms ago");
    assertThat(lost.lockName()).isEqualTo("orders/42");
    assertThat(lost.token()).isEqualTo(118);
    assertThat(lost)
        .hasMessage(
            "Lease on 'orders/42' (token 118) ended 1200 ms ago: another holder may be running."
                + " Stop writing, then acquire again.");
  }

  @Test
  void a_stale_token_carries_both_tokens_and_says_that_nothing_was_written() {
    StaleTokenException stale = new StaleTokenException("orders/42", 118, 121);
    assertThat(stale.lockName()).isEqualTo("orders/42");
    assertThat(stale.token()).isEqualTo(118);
    assertThat(stale.current()).isEqualTo(121);
    assertThat(stale)
        .hasMessage(
            "Token 118 of 'orders/42' is stale: the resource has seen 121. Nothing was written;"
                + " stop, then acquire again. If no lock ever handed out the greater token, put the"
                + " fence back: holdfast fence reset, or its reset method.");
  }

  @Test
  void a_time_out_carries_the_lock() {
    assertThat(new LockTimeoutException("orders/42", "busy").lockName()).isEqualTo("orders/42");
  }

  @Test
  void a_silent_store_carries_the_lock_and_the_cause() {
    IllegalStateException cause = new IllegalStateException("reset");
    StoreException unknown = new StoreException("orders/42", "no answer", cause);
    assertThat(unknown.lockName()).isEqualTo("orders/42");
    assertThat(unknown).hasCause(cause);
    assertThat(new StoreException("", "unreachable").lockName()).isEmpty();
  }

  @Test
  void there_are_five_kinds_of_failure_and_all_are_unchecked() {
    assertThat(LockException.class.isSealed()).isTrue();
    assertThat(LockException.class).isAssignableTo(RuntimeException.class);
    assertThat(Arrays.asList(LockException.class.getPermittedSubclasses()))
        .containsExactlyInAnyOrder(
            LeaseLostException.class,
            LockTimeoutException.class,
            StaleTokenException.class,
            StoreException.class,
            UntrustedProofException.class);
  }
}
