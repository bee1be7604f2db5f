package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LeasedLock;
import dev.holdfast.Registration;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever is run for the caller keeps no loss to itself. */
class RunnerTest {

  private final Scene scene = Scene.plain();
  private final DistributedLock lock = scene.locks.mutex("x", OPTIONS);
  private final Engine operator = scene.otherClient();

  @AfterEach
  void close() {
    scene.close();
  }

  private void breakLock() {
    operator.evict("x", LockStore.ANY_TOKEN);
    scene.advance(Duration.ofMillis(1));
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  void a_task_whose_lock_was_lost_ends_with_that() {
    List<Attempt> ways =
        List.of(
            () -> lock.run(this::breakLock),
            () -> lock.run(lease -> breakLock()),
            () ->
                lock.call(
                    () -> {
                      breakLock();
                      return 42;
                    }),
            () ->
                lock.call(
                    lease -> {
                      breakLock();
                      return lease.token();
                    }),
            () -> lock.tryRun(this::breakLock),
            () -> lock.tryRun(lease -> breakLock()),
            () -> scene.locks.lockAll(List.of("x", "y"), OPTIONS).run(this::breakLock));
    for (Attempt way : ways) {
      assertThatThrownBy(way::run).isInstanceOf(LeaseLostException.class);
      assertThat(Thread.interrupted()).isFalse();
    }
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void what_the_task_threw_is_suppressed_in_the_loss() {
    for (Throwable failure :
        List.of(
            new IllegalStateException("task"),
            new AssertionError("task"),
            new InterruptedException("task"))) {
      assertThatThrownBy(
              () ->
                  lock.run(
                      () -> {
                        breakLock();
                        RunnerTest.<RuntimeException>sneak(failure);
                      }))
          .isInstanceOf(LeaseLostException.class)
          .satisfies(lost -> assertThat(lost.getSuppressed()).containsExactly(failure));
    }
  }

  @Test
  void a_loss_that_the_task_found_itself_is_passed_on_as_it_is() {
    assertThatThrownBy(
            () ->
                lock.run(
                    lease -> {
                      breakLock();
                      lease.ensure(Duration.ZERO);
                    }))
        .isInstanceOf(LeaseLostException.class)
        .satisfies(lost -> assertThat(lost.getSuppressed()).isEmpty());
  }

  @Test
  void the_thread_of_the_task_is_interrupted_while_it_runs_and_not_after() throws Exception {
    Background<Boolean> running =
        Background.start(
            () -> {
              try {
                lock.call(
                    () -> {
                      new java.util.concurrent.CountDownLatch(1).await();
                      return 1;
                    });
                return false;
              } catch (LeaseLostException lost) {
                return !Thread.currentThread().isInterrupted()
                    && lost.getSuppressed()[0] instanceof InterruptedException;
              }
            });
    running.awaitWaiting();
    breakLock();
    assertThat(running.get()).isTrue();
  }

  @Test
  void a_loss_that_is_noticed_after_the_task_interrupts_nobody() {
    LateLoss late = new LateLoss();
    assertThat(new Runner(scene.engine, late).<Integer>run(() -> 42)).isEqualTo(42);
    assertThat(late.told).isTrue();
    assertThat(Thread.interrupted()).isFalse();
  }

  /** A lease whose loss is signalled during its release. */
  private static final class LateLoss implements Runner.Held {
    private Runnable action = () -> {};
    private boolean told;

    @Override
    public Registration onLost(Runnable whenLost, Executor executor) {
      action = whenLost;
      return () -> {};
    }

    @Override
    public CompletableFuture<Boolean> end() {
      action.run();
      told = true;
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public LeaseState state() {
      return LeaseState.HELD;
    }

    @Override
    public boolean isClosed() {
      return false;
    }

    @Override
    public LeaseLostException over() {
      throw new AssertionError("it is not over");
    }

    @Override
    public LeaseLostException gone() {
      throw new AssertionError("it is not gone");
    }

    @Override
    public boolean isEndedWithClient() {
      return false;
    }
  }

  @Test
  void a_release_that_finds_the_claim_gone_is_a_loss_and_one_without_answer_is_not()
      throws Exception {
    scene.faults.set(Verb.REFRESH, Manner.IGNORES); // so that only the release can tell
    assertThatThrownBy(() -> lock.run(() -> operator.evict("x", LockStore.ANY_TOKEN)))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("ended 0 ms ago: the store has ended it");
    scene.faults.set(Verb.LEAVE, Manner.FAILS);
    lock.run(() -> {});
    scene.faults.set(Verb.LEAVE, Manner.ANSWERS);
  }

  @Test
  void the_result_and_the_failure_of_a_task_whose_lock_was_kept_are_its_own() throws Exception {
    assertThat(lock.<Integer>call(() -> 42)).isEqualTo(42);
    assertThatThrownBy(
            () ->
                lock.call(
                    () -> {
                      throw new java.io.IOException("task");
                    }))
        .isInstanceOf(java.io.IOException.class);
  }

  @Test
  void a_view_that_unlocks_after_a_loss_throws_once_for_each_entry() {
    LeasedLock view = lock.asLock();
    view.lock();
    view.lock();
    Lease lease = view.lease();
    assertThat(lease.token()).isPositive();
    breakLock();
    assertThatThrownBy(view::unlock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::unlock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(view::lease).isInstanceOf(IllegalMonitorStateException.class);
    view.lock(); // cleaned up
    view.unlock();
    assertThat(scene.engine.names()).isZero();
  }

  @FunctionalInterface
  private interface Attempt {
    void run() throws Exception;
  }
}
