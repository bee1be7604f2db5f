package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Fence;
import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Tokens;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A fence that has seen more than the store remembers teaches the client, once. */
class FloorTest {

  private static final long HOUR = TimeUnit.HOURS.toMicros(1);
  private static final long ABSURD = Tokens.MAX_FLOOR;

  private final Scene scene = Scene.plain();
  private final DistributedLock lock = scene.locks.mutex("x", OPTIONS);
  private final long ahead = scene.ticker.wallMicros() + HOUR / 2;

  @AfterEach
  void close() {
    scene.close();
  }

  private StaleTokenException refusal() {
    return new StaleTokenException("x", 1, ahead);
  }

  private void assertRaisedBy(ThrowingCallable work) throws InterruptedException {
    assertThatThrownBy(work).isInstanceOf(StaleTokenException.class);
    try (Lease lease = lock.acquire()) {
      assertThat(lease.token()).isGreaterThan(ahead);
    }
  }

  @Test
  void a_refusal_out_of_run_raises_the_floor() throws Exception {
    assertRaisedBy(
        () ->
            lock.run(
                () -> {
                  throw refusal();
                }));
  }

  @Test
  void a_refusal_out_of_call_raises_the_floor() throws Exception {
    assertRaisedBy(
        () ->
            lock.call(
                () -> {
                  throw refusal();
                }));
  }

  @Test
  void a_refusal_out_of_try_run_raises_the_floor() throws Exception {
    assertRaisedBy(
        () ->
            lock.tryRun(
                () -> {
                  throw refusal();
                }));
  }

  @Test
  void after_one_refusal_the_fence_accepts_the_client() throws Exception {
    Fence fence = Fence.inMemory();
    Owner somebody = new Owner("web-3", 1, "main", "another client", "");
    fence.enter(new Proof("x", ahead, Mode.EXCLUSIVE, somebody));
    assertThatThrownBy(() -> lock.run(() -> enter(fence))).isInstanceOf(StaleTokenException.class);
    lock.run(() -> enter(fence));
  }

  private void enter(Fence fence) {
    try (Lease again = lock.tryAcquire()) { // re-entry: the same token
      fence.enter(again.proof());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void run_and_call_give_the_lock_back_whatever_happens() throws Exception {
    assertThat(lock.call(() -> 42)).isEqualTo(42);
    assertThatThrownBy(
            () ->
                lock.run(
                    () -> {
                      throw new IllegalStateException("work failed");
                    }))
        .hasMessage("work failed");
    assertThat(scene.engine.names()).isZero();
    assertThat(scene.engine.inspect("x").isHeld()).isFalse();
  }

  @Test
  void try_run_tells_whether_it_ran() throws Exception {
    int[] runs = {0};
    assertThat(lock.tryRun(() -> runs[0]++)).isTrue();
    try (Lease theirs =
        scene.otherClient().acquireAsync("x", LockSpec.mutex(OPTIONS), Request.FOR_EVER).join()) {
      assertThat(lock.tryRun(() -> runs[0]++)).isFalse();
      assertThat(theirs.isValid()).isTrue();
    }
    assertThat(runs[0]).isEqualTo(1);
  }

  @Test
  void every_token_seen_is_a_floor_for_the_next_claim_up_to_our_clock() {
    Lease first = lock.acquireAsync().join();
    first.close();
    scene.advance(Duration.ofSeconds(1));
    scene.request("y", LockSpec.mutex(OPTIONS)).join();
    assertThat(scene.store.joins.get(1).floor()).isEqualTo(first.token());
  }

  @Test
  void a_token_beyond_our_clock_is_no_floor_for_other_locks() {
    scene.engine.floors().force("x", ABSURD);
    Lease raised = lock.acquireAsync().join();
    assertThat(raised.token()).isGreaterThan(ABSURD);
    long now = scene.ticker.wallMicros();
    Lease innocent = scene.request("y", LockSpec.mutex(OPTIONS)).join();
    assertThat(innocent.token()).isBetween(now, now + 100);
  }

  @Test
  void a_raised_lock_that_is_idle_goes_on_where_it_was_and_leaves_others_alone() {
    scene.engine.floors().force("x", ABSURD);
    lock.acquireAsync().join().close();
    long now = scene.ticker.wallMicros();
    assertThat(other("y")).isBetween(now, now + 100);
    assertThat(other("x")).isGreaterThan(ABSURD + 1);
    assertThat(other("x")).isGreaterThan(ABSURD + 2);
    assertThat(other("y")).isBetween(now, now + 100);
  }

  private long other(String name) {
    try (Lease lease =
        scene.otherClient().acquireAsync(name, LockSpec.mutex(OPTIONS), Request.FOR_EVER).join()) {
      return lease.token();
    }
  }

  @Test
  void the_floor_never_goes_down() {
    scene.engine.floors().raise("x", ahead);
    scene.engine.floors().raise("x", 5);
    assertThat(lock.acquireAsync().join().token()).isGreaterThan(ahead);
  }

  @Test
  void a_client_whose_floor_rose_does_not_confuse_the_others() {
    scene.engine.floors().raise("x", ahead);
    Lease ours = lock.acquireAsync().join();
    ours.close();
    assertThat(other("x")).isGreaterThan(ours.token());
  }

  @Test
  void a_floor_that_the_store_cannot_have_reached_is_refused_and_says_what_to_do() {
    long limit = scene.ticker.wallMicros() + HOUR;
    scene.engine.floors().raise("x", limit);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scene.engine.floors().raise("y", limit + 1))
        .withMessageContainingAll("" + (limit + 1), "" + limit, "'y'", "reset the fence");
    for (long token : new long[] {Long.MIN_VALUE, 0, Tokens.MAX_FLOOR + 1, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scene.engine.floors().raise("y", token));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scene.engine.floors().force("y", token))
          .withMessageContaining("" + token);
    }
  }

  /** The store's clock may be ahead of ours by more than an hour: then its tokens tell. */
  @Test
  void what_was_granted_counts_as_much_as_our_clock() {
    scene.engine.floors().force("x", ahead + 5 * HOUR);
    Lease held = lock.acquireAsync().join();
    scene.engine.floors().raise("x", held.token() + HOUR);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scene.engine.floors().raise("x", held.token() + HOUR + 1));
  }

  @Test
  void a_refusal_with_an_absurd_token_raises_nothing_and_says_how_to_reset_the_fence()
      throws Exception {
    try (Logs.Recording logs = Logs.record()) {
      assertThatThrownBy(
              () ->
                  lock.run(
                      () -> {
                        throw new StaleTokenException("x", 1, Long.MAX_VALUE);
                      }))
          .isInstanceOf(StaleTokenException.class)
          .satisfies(
              refusal ->
                  assertThat(refusal.getSuppressed())
                      .singleElement()
                      .extracting(Throwable::getMessage)
                      .asString()
                      .contains("token"));
      assertThat(logs.atLeast(Level.WARNING)).isNotEmpty();
      assertThatThrownBy(
              () ->
                  lock.run(
                      () -> {
                        throw new StaleTokenException("x", 1, ABSURD);
                      }))
          .satisfies(
              refusal ->
                  assertThat(refusal.getSuppressed()[0]).hasMessageContaining("reset the fence"));
    }
    try (Lease lease = lock.acquire()) {
      assertThat(lease.token()).isLessThan(ahead);
    }
  }

  @Test
  void a_refusal_raises_the_floor_of_the_lock_that_it_names_only() {
    assertThatThrownBy(
            () ->
                lock.run(
                    () -> {
                      throw new StaleTokenException("y", 1, ahead);
                    }))
        .isInstanceOf(StaleTokenException.class);
    assertThat(lock.acquireAsync().join().token()).isLessThan(ahead);
    assertThat(scene.request("y", LockSpec.mutex(OPTIONS)).join().token()).isGreaterThan(ahead);
  }
}
