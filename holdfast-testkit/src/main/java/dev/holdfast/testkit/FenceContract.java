package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.spi.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Fence} promises. A subclass says how to get one; names of locks are new in each
 * test, so that all tests can share a resource.
 */
public abstract class FenceContract {

  private static final Owner OWNER = new Owner("host", 1, "thread", "client", "fenced");

  /** The lock of this test. */
  protected final String lock = "fence/" + UUID.randomUUID();

  /** For subclasses. */
  protected FenceContract() {}

  /** The fence of one resource; each call may give another access to the same resource. */
  protected abstract Fence fence();

  /** A holder comes in. */
  @Test
  public void the_first_holder_enters_and_writes() {
    fence().enter(exclusive(1));
    fence().check(exclusive(1));
  }

  /** Equal tokens pass. */
  @Test
  public void one_holder_enters_and_writes_many_times() {
    for (int i = 0; i < 3; i++) {
      fence().enter(exclusive(7));
      fence().check(exclusive(7));
    }
  }

  /** The usual succession. */
  @Test
  public void a_later_holder_enters_after_an_earlier_one() {
    fence().enter(exclusive(7));
    fence().enter(exclusive(8));
    fence().check(exclusive(8));
  }

  /** The holder that was paused. */
  @Test
  public void an_older_holder_cannot_write_once_a_later_one_has_entered() {
    fence().enter(exclusive(7));
    fence().enter(exclusive(8));
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence().check(exclusive(7)))
        .satisfies(
            stale -> {
              assertThat(stale.lockName()).isEqualTo(lock);
              assertThat(stale.token()).isEqualTo(7);
              assertThat(stale.current()).isEqualTo(8);
            });
  }

  /** Nor can it start again. */
  @Test
  public void an_older_holder_cannot_enter_again() {
    fence().enter(exclusive(8));
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence().enter(exclusive(7)));
    fence().check(exclusive(8));
  }

  /** A refusal leaves the fence as it was. */
  @Test
  public void a_holder_that_is_refused_once_is_refused_again_and_lowers_nothing() {
    fence().enter(exclusive(8));
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(StaleTokenException.class)
          .isThrownBy(() -> fence().check(exclusive(2)))
          .satisfies(stale -> assertThat(stale.current()).isEqualTo(8));
    }
  }

  /** Readers exclude writers only. */
  @Test
  public void a_shared_token_is_checked_against_the_last_exclusive_one() {
    fence().enter(exclusive(5));
    fence().enter(shared(6));
    fence().check(shared(6));
    assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence().check(shared(4)));
    assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence().enter(shared(4)));
  }

  /** Readers run side by side, whatever their order. */
  @Test
  public void a_shared_token_never_raises_the_fence() {
    fence().enter(shared(9));
    fence().check(shared(9));
    assertThatCode(() -> fence().enter(shared(8))).doesNotThrowAnyException();
    assertThatCode(() -> fence().enter(exclusive(8))).doesNotThrowAnyException();
  }

  /** Permits are held side by side. */
  @Test
  public void permits_of_a_semaphore_cannot_be_fenced() {
    Proof permit = new Proof(lock, 3, Mode.PERMIT, OWNER);
    assertThatIllegalArgumentException().isThrownBy(() -> fence().enter(permit));
    assertThatIllegalArgumentException().isThrownBy(() -> fence().check(permit));
  }

  /** Names are exact. */
  @Test
  public void names_that_look_alike_are_different_resources() {
    List<String> alike = List.of(lock, lock + " ", lock.toUpperCase(java.util.Locale.ROOT));
    for (int i = 0; i < alike.size(); i++) {
      fence().enter(new Proof(alike.get(i), 10 - i, Mode.EXCLUSIVE, OWNER));
    }
    for (int i = 0; i < alike.size(); i++) {
      fence().check(new Proof(alike.get(i), 10 - i, Mode.EXCLUSIVE, OWNER));
    }
  }

  /** Any name and token that a lock can have. */
  @Test
  public void the_longest_name_and_the_greatest_token_fit() {
    String longest = lock + "\uD83D\uDD12".repeat((512 - lock.length()) / 2);
    fence().enter(new Proof(longest, Tokens.MAX, Mode.EXCLUSIVE, OWNER));
    assertThat(fence().current(longest)).isEqualTo(Tokens.MAX);
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence().check(new Proof(longest, Tokens.MAX - 1, Mode.EXCLUSIVE, OWNER)));
  }

  /** For operators. */
  @Test
  public void a_fence_tells_where_it_stands() {
    assertThat(fence().current(lock)).isZero();
    fence().enter(shared(9));
    assertThat(fence().current(lock)).isZero();
    fence().enter(exclusive(7));
    fence().enter(shared(9));
    assertThat(fence().current(lock)).isEqualTo(7);
  }

  /** The way out after a restored backup, or once an absurd token has entered. */
  @Test
  public void a_fence_that_is_reset_stands_where_it_was_put() {
    fence().enter(exclusive(Tokens.MAX));
    fence().reset(lock, 7);
    assertThat(fence().current(lock)).isEqualTo(7);
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence().enter(exclusive(6)));
    fence().enter(exclusive(8));
    fence().reset(lock, 0);
    assertThat(fence().current(lock)).isZero();
    fence().enter(exclusive(1));
    fence().reset(lock, 20);
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence().check(exclusive(19)))
        .withMessageContaining("holdfast fence reset");
  }

  /** A reset must not make things worse. */
  @Test
  public void a_fence_is_not_reset_to_what_cannot_be_a_token() {
    fence().enter(exclusive(7));
    for (long absurd : new long[] {Long.MIN_VALUE, -1, Tokens.MAX + 1, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException().isThrownBy(() -> fence().reset(lock, absurd));
    }
    assertThat(fence().current(lock)).isEqualTo(7);
  }

  /** The highest wins in whatever order they come. */
  @Test
  public void holders_that_enter_at_the_same_time_leave_the_highest() {
    List<CompletableFuture<Void>> enters = new ArrayList<>();
    fence().enter(exclusive(1)); // so that all of them find a fence to raise
    for (long token : LongStream.rangeClosed(2, 9).toArray()) {
      enters.add(CompletableFuture.runAsync(() -> enterOrBeRefused(token)));
    }
    CompletableFuture.allOf(enters.toArray(CompletableFuture<?>[]::new)).join();
    fence().check(exclusive(9));
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence().check(exclusive(8)));
  }

  private void enterOrBeRefused(long token) {
    try {
      fence().enter(exclusive(token));
    } catch (StaleTokenException e) {
      assertThat(e.current()).isGreaterThan(token);
    }
  }

  /** A proof of the lock's only holder. */
  protected final Proof exclusive(long token) {
    return new Proof(lock, token, Mode.EXCLUSIVE, OWNER);
  }

  /** A proof of one of several readers. */
  protected final Proof shared(long token) {
    return new Proof(lock, token, Mode.SHARED, OWNER);
  }
}
