package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
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
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A fence that has seen more than the store remembers teaches the client, once. */
class FloorTest {

  private static final long AHEAD = 9_000_000_000_000_000L;

  private final Scene scene = Scene.plain();
  private final DistributedLock lock = scene.locks.mutex("x", OPTIONS);

  @AfterEach
  void close() {
    scene.close();
  }

  private static StaleTokenException refusal() {
    return new StaleTokenException("x", 1, AHEAD);
  }

  private void assertRaisedBy(ThrowingCallable work) throws InterruptedException {
    assertThatThrownBy(work).isInstanceOf(StaleTokenException.class);
    try (Lease lease = lock.acquire()) {
      assertThat(lease.token()).isGreaterThan(AHEAD);
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
  void after_one_refusal_the_fence_lets_the_client_in() throws Exception {
    Fence fence = Fence.inMemory();
    Owner somebody = new Owner("web-3", 1, "main", "another client", "");
    fence.enter(new Proof("x", AHEAD, Mode.EXCLUSIVE, somebody));
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
  void every_token_seen_is_a_floor_for_the_next_claim() {
    Lease first = lock.acquireAsync().join();
    first.close();
    lock.acquireAsync().join();
    assertThat(scene.store.joins.get(1).floor()).isEqualTo(first.token());
  }

  @Test
  void the_floor_never_goes_down() {
    scene.engine.raiseFloor(AHEAD);
    scene.engine.raiseFloor(5);
    assertThat(lock.acquireAsync().join().token()).isGreaterThan(AHEAD);
  }

  @Test
  void a_client_whose_floor_rose_does_not_confuse_the_others() {
    scene.engine.raiseFloor(AHEAD);
    Lease ours = lock.acquireAsync().join();
    ours.close();
    Lease theirs =
        scene.otherClient().acquireAsync("x", LockSpec.mutex(OPTIONS), Request.FOR_EVER).join();
    assertThat(theirs.token()).isGreaterThan(ours.token());
  }
}
