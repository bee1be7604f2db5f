package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.callback.Text;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Slice;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A released claim stays at the store for a client that keeps coming back. */
class KeptClaimTest {

  /** How often the store is asked before a claim is kept. */
  private static final int OFTEN = 4;

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  private long use(LockSpec spec) {
    try (Lease lease = scene.request("x", spec).join()) {
      return lease.token();
    }
  }

  private long use() {
    return use(MUTEX);
  }

  private void comeBack(LockSpec spec) {
    for (int i = 0; i < OFTEN; i++) {
      use(spec);
    }
    scene.store.joins.clear();
    scene.store.refreshes.clear();
    scene.store.leaves.set(0);
  }

  private Engine keeping() {
    comeBack(MUTEX);
    return scene.otherClient();
  }

  private boolean isHeld() {
    return scene.engine.inspect("x").isHeld();
  }

  @Test
  void a_client_that_keeps_coming_back_needs_no_request() {
    comeBack(MUTEX);
    long last = 0;
    for (int i = 0; i < 100; i++) {
      long token = use();
      assertThat(token).isGreaterThan(last);
      last = token;
    }
    assertThat(scene.store.calls()).isZero();
    assertThat(scene.engine.inspect("x").holders().get(0).keepable()).isTrue();
  }

  @Test
  void it_is_given_back_when_it_was_idle_for_long_enough() {
    comeBack(MUTEX);
    scene.advance(OPTIONS.keepIdle().minusNanos(1));
    assertThat(isHeld()).isTrue();
    use();
    scene.advance(OPTIONS.keepIdle().minusNanos(1));
    assertThat(isHeld()).isTrue();
    scene.advance(Duration.ofNanos(1));
    assertThat(isHeld()).isFalse();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void one_use_now_and_then_releases_at_once() {
    for (int i = 0; i < 10; i++) {
      use();
      assertThat(isHeld()).isFalse();
      scene.advance(OPTIONS.keepIdle().plusMillis(1));
    }
    assertThat(scene.store.joins).allMatch(claim -> !claim.keepable() && claim.spares() == 0);
  }

  @Test
  void tokens_that_are_used_up_come_with_one_refresh() {
    comeBack(MUTEX);
    for (int i = 0; i <= 3 * Slice.PASSES; i++) {
      use();
    }
    assertThat(scene.store.joins).isEmpty();
    assertThat(scene.store.refreshes).hasSize(3);
  }

  static Stream<LockSpec> neverKept() {
    LockOptions brief = OPTIONS.ttl(Duration.ofSeconds(9));
    return Stream.of(
        LockSpec.mutex(OPTIONS.keepIdle(Duration.ZERO)),
        LockSpec.mutex(OPTIONS.handOff(false)),
        LockSpec.mutex(brief.maxHold(Duration.ofSeconds(10))),
        LockSpec.mutex(OPTIONS.minHold(Duration.ofNanos(1))),
        LockSpec.election("x", "value", OPTIONS),
        READ,
        Scene.permits(1, 2));
  }

  @ParameterizedTest
  @MethodSource("neverKept")
  void what_is_more_than_a_plain_exclusive_lock_is_never_kept(LockSpec spec) {
    for (int i = 0; i < 10; i++) {
      use(spec);
      scene.advance(Duration.ofNanos(1));
      assertThat(isHeld()).isFalse();
    }
  }

  @Test
  void writers_are_kept_and_leave_for_a_reader_of_the_same_client() {
    comeBack(WRITE);
    assertThat(isHeld()).isTrue();
    Lease reader = scene.request("x", READ).getNow(null);
    assertThat(reader).isNotNull();
    reader.close();
  }

  @Test
  void a_request_with_other_options_gets_its_own_claim() {
    comeBack(MUTEX);
    LockSpec other = LockSpec.mutex(OPTIONS.ttl(Duration.ofSeconds(60)));
    assertThat(scene.engine.acquireAsync("x", other, 0).getNow(null)).isNotNull();
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.store.leaves).hasValue(1);
  }

  @Test
  void another_kind_of_lock_is_no_mismatch_while_nobody_holds() {
    comeBack(MUTEX);
    assertThat(scene.engine.acquireAsync("x", READ, 0).getNow(null)).isNotNull();
  }

  @Test
  void people_read_that_it_may_be_kept() {
    comeBack(MUTEX);
    assertThat(Text.holder(scene.engine.inspect("x"))).startsWith("held or kept by ");
  }

  // ---------------------------------------------------------------- others want it

  @Test
  void another_client_gets_it_at_once() {
    Engine other = keeping();
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).getNow(null);
    assertThat(theirs).isNotNull();
    assertThat(scene.store.leaves).hasValue(1);
  }

  @Test
  void a_try_of_another_client_gets_it_too() {
    Engine other = keeping();
    assertThat(other.acquireAsync("x", MUTEX, 0).getNow(null)).isNotNull();
  }

  @Test
  void a_timed_try_of_another_client_gets_it_too() {
    Engine other = keeping();
    assertThat(other.acquireAsync("x", MUTEX, 1).getNow(null)).isNotNull();
  }

  @Test
  void a_try_that_meets_a_working_owner_ends_as_busy_when_that_has_answered() {
    Engine other = keeping();
    Lease ours = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> theirs = other.acquireAsync("x", MUTEX, 0);
    assertThat(scene.store.refreshes).hasSize(1); // it is wanted
    scene.advance(Duration.ofMillis(1));
    assertThat(theirs).isCompletedWithValue(null);
    assertThat(scene.engine.inspect("x").waiters()).isEmpty();
    assertThat(other.acquireAsync("x", MUTEX, 0)).isCompletedWithValue(null); // now at once
    ours.close();
    assertThat(isHeld()).isFalse();
  }

  @Test
  void a_try_that_meets_a_silent_owner_ends_as_busy_after_a_while() {
    Engine other = keeping();
    Lease ours = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    CompletableFuture<Lease> theirs = other.acquireAsync("x", MUTEX, 0);
    scene.advance(Duration.ofMillis(99));
    assertThat(theirs).isNotDone();
    scene.advance(Duration.ofMillis(1));
    assertThat(theirs).isCompletedWithValue(null);
    assertThat(ours.state()).isEqualTo(LeaseState.HELD);
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
  }

  @Test
  void a_limit_that_strikes_before_the_owner_has_answered_waits_for_that() {
    Engine other = keeping();
    scene.faults.set(Verb.LEAVE, Manner.IGNORES); // the owner's leave is on its way
    CompletableFuture<Lease> theirs = other.acquireAsync("x", MUTEX, 1);
    scene.advance(Duration.ofMillis(50));
    assertThat(theirs).isNotDone();
    scene.advance(Duration.ofMillis(50));
    assertThat(theirs).isCompletedWithValue(null);
    scene.faults.set(Verb.LEAVE, Manner.ANSWERS);
  }

  @Test
  void a_working_owner_leaves_at_its_release() {
    Engine other = keeping();
    Lease ours = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER);
    assertThat(theirs).isNotDone();
    ours.close();
    assertThat(theirs).isCompleted();
    assertThat(theirs.join().token()).isGreaterThan(ours.token());
  }

  @Test
  void for_a_second_after_that_nothing_is_kept() {
    Engine other = keeping();
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join().close();
    for (int i = 0; i < 10; i++) {
      use();
      assertThat(isHeld()).isFalse();
      scene.advance(Duration.ofMillis(90));
    }
    scene.advance(Duration.ofMillis(150));
    comeBack(MUTEX);
    assertThat(isHeld()).isTrue();
  }

  /** Its answer would say that the owner works, to a try that comes at that moment. */
  @Test
  void an_idle_claim_is_never_renewed() {
    LockOptions options = OPTIONS.ttl(Duration.ofSeconds(15)).keepIdle(Duration.ofSeconds(10));
    comeBack(LockSpec.mutex(options));
    scene.advance(options.renewEvery());
    assertThat(scene.store.refreshes).isEmpty();
    assertThat(isHeld()).isFalse();
  }

  @Test
  void a_claim_that_is_released_while_it_is_renewed_is_not_kept() {
    comeBack(MUTEX);
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    scene.advance(OPTIONS.renewEvery());
    lease.close();
    assertThat(isHeld()).isFalse();
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
  }

  // ---------------------------------------------------------------- ends

  @Test
  void the_end_of_the_client_gives_it_back() {
    Engine other = keeping();
    scene.engine.close();
    assertThat(other.inspect("x").isHeld()).isFalse();
  }

  @Test
  void the_end_of_the_process_gives_it_back() {
    comeBack(MUTEX);
    assertThat(scene.engine.giveBackKept()).hasSize(1).allMatch(CompletableFuture::isDone);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void the_end_of_the_process_leaves_what_is_held_alone() {
    comeBack(MUTEX);
    Lease lease = scene.request("x", MUTEX).join();
    assertThat(scene.engine.giveBackKept()).isEmpty();
    assertThat(lease.isValid()).isTrue();
  }

  @Test
  void one_that_was_broken_is_not_used_again() {
    Engine other = keeping();
    other.evict("x", LockStore.ANY_TOKEN); // the store notifies its owner
    use();
    assertThat(scene.store.joins).hasSize(1);
  }

  @Test
  void one_that_less_than_half_of_its_validity_is_left_of_is_not_used_again() {
    LockOptions brief = OPTIONS.ttl(Duration.ofMillis(100)); // valid for 75 ms
    LockSpec spec = LockSpec.mutex(brief);
    comeBack(spec);
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    scene.advance(Duration.ofMillis(40));
    use(spec);
    assertThat(scene.store.joins).hasSize(1);
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
  }
}
