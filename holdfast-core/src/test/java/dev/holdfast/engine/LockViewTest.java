package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lock as {@link Lock}. */
class LockViewTest {

  private final Scene scene = Scene.plain();
  private final DistributedLock lock = scene.locks.mutex("x", OPTIONS);
  private final Lock view = lock.asLock();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void it_locks_and_unlocks() {
    view.lock();
    assertThat(scene.engine.inspect("x").isHeld()).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    view.unlock();
    assertThat(scene.engine.inspect("x").isHeld()).isFalse();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
  }

  @Test
  void the_view_of_another_kind_of_lock_cannot_unlock_it() {
    view.lock();
    Lock write = scene.locks.readWriteLock("x", OPTIONS).asReadWriteLock().writeLock();
    assertThatThrownBy(write::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    view.unlock();
  }

  @Test
  void it_is_reentrant_and_the_last_unlock_counts() throws Exception {
    view.lock();
    view.lockInterruptibly();
    assertThat(view.tryLock()).isTrue();
    assertThat(view.tryLock(1, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 3; i++) {
      view.unlock();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
    }
    view.unlock();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void all_views_of_a_name_are_one_lock() {
    view.lock();
    Lock same = scene.locks.mutex("x", OPTIONS).asLock();
    assertThat(same.tryLock()).isTrue();
    same.unlock();
    same.unlock();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void another_thread_cannot_unlock_it() throws Exception {
    view.lock();
    Background<Void> other =
        Background.start(
            () -> {
              view.unlock();
              return (Void) null;
            });
    assertThatThrownBy(other::get)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessage("'x' is not held by thread background");
    assertThat(lock.isHeldByCurrentThread()).isTrue();
  }

  @Test
  void unlocking_once_too_often_is_refused() {
    view.lock();
    view.unlock();
    assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void only_the_thread_that_holds_it_learns_that_it_does() throws Exception {
    view.lock();
    assertThat(Background.start(lock::isHeldByCurrentThread).get()).isFalse();
    assertThat(Background.start(view::tryLock).get()).isFalse();
  }

  @Test
  void a_lease_of_the_asynchronous_methods_belongs_to_no_thread() {
    Lease lease = lock.acquireAsync().join();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(view.tryLock()).isFalse();
    assertThat(lease.isValid()).isTrue();
  }

  @Test
  void waiting_interruptibly_ends_with_the_interrupt_and_leaves_the_queue() throws Exception {
    Lease held = scene.request("x", MUTEX).join();
    Background<Void> waiting =
        Background.start(
                () -> {
                  view.lockInterruptibly();
                  return (Void) null;
                })
            .awaitWaiting();
    waiting.interrupt();
    assertThatThrownBy(waiting::get)
        .isInstanceOf(InterruptedException.class)
        .hasMessage("interrupted while waiting for 'x'");
    held.close();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void an_interrupted_thread_does_not_even_begin_to_wait_interruptibly() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(view::lockInterruptibly).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(scene.store.joins).isEmpty();
  }

  @Test
  void lock_waits_through_an_interrupt_and_keeps_the_flag() throws Exception {
    Lease held = scene.request("x", MUTEX).join();
    Background<Boolean> waiting =
        Background.start(
                () -> {
                  view.lock();
                  boolean flag = Thread.currentThread().isInterrupted();
                  view.unlock();
                  return flag;
                })
            .awaitWaiting();
    waiting.interrupt();
    assertThat(waiting.isDone()).isFalse();
    held.close();
    assertThat(waiting.get()).isTrue();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void an_interrupted_thread_can_try_lock_and_unlock_and_keeps_the_flag() {
    Thread.currentThread().interrupt();
    assertThat(view.tryLock()).isTrue();
    view.lock();
    view.unlock();
    view.unlock();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void trying_for_a_time_ends_with_the_time() throws Exception {
    scene.request("x", MUTEX).join();
    Background<Boolean> trying =
        Background.start(() -> view.tryLock(50, TimeUnit.MILLISECONDS)).awaitWaiting();
    scene.advance(Duration.ofMillis(50));
    assertThat(trying.get()).isFalse();
  }

  @Test
  void trying_for_no_time_or_less_does_not_wait() throws Exception {
    scene.request("x", MUTEX).join();
    assertThat(view.tryLock(0, TimeUnit.SECONDS)).isFalse();
    assertThat(view.tryLock(-1, TimeUnit.DAYS)).isFalse();
  }

  @Test
  void trying_almost_for_ever_is_taken_as_a_number() throws Exception {
    assertThat(view.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
    view.unlock();
  }

  @Test
  void a_lost_lock_is_not_held_and_cannot_be_entered_again_until_it_is_unlocked() {
    view.lock();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    scene.advance(OPTIONS.validFor());
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThatThrownBy(view::lock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::tryLock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::unlock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(scene.engine.names()).isZero();
    assertThat(view.tryLock()).isTrue();
  }

  @Test
  void conditions_are_refused_with_the_reason() {
    assertThatThrownBy(view::newCondition)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "a distributed lock has no conditions: a signal cannot reach a waiter on another"
                + " machine; poll the condition, or use a queue of your store");
  }

  @Test
  void a_lock_that_is_not_reentrant_has_no_view() {
    DistributedLock strict = scene.locks.mutex("x", OPTIONS.reentrant(false));
    assertThatThrownBy(strict::asLock)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs reentrant(true)");
  }

  @Test
  void it_is_called_by_its_name() {
    assertThat(view).hasToString("Lock[x]");
  }
}
