package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeasedLock;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;

/** The views behave as the locks of {@code java.util.concurrent} do. */
public abstract class ViewRules extends EngineRules {

  /**
   * One view, and what excludes it.
   *
   * @param ours a view of one client
   * @param next the same of another client
   * @param blocker a view of a third client that excludes both
   */
  private record View(String lock, Lock ours, Lock next, Lock blocker) {}

  @FunctionalInterface
  private interface ViewBody {
    void run(View view) throws Exception;
  }

  /** The view of a mutex and, where the store shares locks, both sides of a read-write lock. */
  private void forEachView(ViewBody body) throws Exception {
    Holdfast c = scene().client();
    String mutex = scene().name();
    List<View> views = new ArrayList<>();
    views.add(new View(mutex, view(a, mutex), view(c, mutex), view(b, mutex)));
    if (scene().traits().kinds().contains(Kind.READ_WRITE)) {
      String name = scene().name();
      ReadWriteLock ours = a.readWriteLock(name).asReadWriteLock();
      ReadWriteLock next = c.readWriteLock(name).asReadWriteLock();
      Lock blocker = b.readWriteLock(name).asReadWriteLock().writeLock();
      views.add(new View(name, ours.writeLock(), next.writeLock(), blocker));
      views.add(new View(name, ours.readLock(), next.readLock(), blocker));
    }
    for (View view : views) {
      body.run(view);
    }
  }

  private static Lock view(Holdfast client, String mutex) {
    return client.lock(mutex).asLock();
  }

  @Test
  void a_lock_is_free_after_as_many_unlocks_as_locks() throws Exception {
    forEachView(
        view -> {
          view.ours.lock();
          view.ours.lockInterruptibly();
          assertThat(view.ours.tryLock()).isTrue();
          assertThat(view.ours.tryLock(1, TimeUnit.MINUTES)).isTrue();
          for (int held = 4; held > 0; held--) {
            assertThat(tryElsewhere(view.blocker)).as("taken while held %d times", held).isFalse();
            view.ours.unlock();
          }
          assertThat(tryElsewhere(view.blocker)).isTrue();
          assertThatThrownBy(view.ours::unlock).isInstanceOf(IllegalMonitorStateException.class);
        });
  }

  @Test
  void only_the_thread_that_locked_can_unlock() throws Exception {
    forEachView(
        view -> {
          view.ours.lock();
          Task<Boolean> stranger = scene().inThread(() -> unlock(view.ours));
          assertThat(scene().failureInTime(stranger.result()))
              .isInstanceOf(IllegalMonitorStateException.class)
              .hasMessageContaining(view.lock);
          assertThat(tryElsewhere(view.blocker)).isFalse();
          view.ours.unlock();
          assertThatThrownBy(view.ours::newCondition)
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageContaining("condition");
        });
  }

  @Test
  void a_timed_wait_ends_with_no_and_a_wait_in_time_with_yes() throws Exception {
    forEachView(
        view -> {
          view.blocker.lock();
          assertThat(inTime(() -> view.ours.tryLock(20, TimeUnit.MILLISECONDS))).isFalse();
          Task<Boolean> waiting =
              scene().inThread(() -> view.ours.tryLock(1, TimeUnit.MINUTES) && unlock(view.ours));
          awaitWaiter(view.lock);
          view.blocker.unlock();
          assertThat(scene().resultInTime(waiting.result())).isTrue();
        });
  }

  /** The limit may strike while the store is being asked: then that answer decides. */
  @Test
  void a_timed_attempt_is_refused_however_short_its_limit() throws Exception {
    forEachView(
        view -> {
          view.blocker.lock();
          for (int micros = 0; micros <= 20_000; micros += 250) {
            long limit = micros;
            assertThat(inTime(() -> view.ours.tryLock(limit, TimeUnit.MICROSECONDS)))
                .as("within %d microseconds", micros)
                .isFalse();
          }
          view.blocker.unlock();
          assertThat(tryElsewhere(view.ours)).isTrue();
        });
  }

  /** Pitfall 6. */
  @Test
  void an_interrupted_waiter_leaves_at_once_and_delays_nobody_behind_it() throws Exception {
    forEachView(
        view -> {
          view.blocker.lock();
          for (boolean timed : new boolean[] {false, true}) {
            Task<Boolean> waiter = scene().inThread(() -> await(view.ours, timed));
            awaitWaiter(view.lock);
            waiter.thread().interrupt();
            assertThat(scene().failureInTime(waiter.result()))
                .isInstanceOf(InterruptedException.class);
            scene().soon("no claim waits", () -> b.inspect(view.lock).waiters().isEmpty());
          }
          Task<Boolean> quitter = scene().inThread(() -> await(view.ours, false));
          awaitWaiter(view.lock);
          Task<Boolean> behind = scene().inThread(() -> lockAndUnlock(view.ours));
          quitter.thread().interrupt();
          assertThat(scene().failureInTime(quitter.result()))
              .isInstanceOf(InterruptedException.class);
          Task<Boolean> next = scene().inThread(() -> lockAndUnlock(view.next));

          view.blocker.unlock();

          assertThat(scene().resultInTime(behind.result())).isTrue();
          assertThat(scene().resultInTime(next.result())).isTrue();
        });
  }

  @Test
  void a_thread_that_comes_interrupted_waits_only_where_the_jdk_s_would() throws Exception {
    forEachView(
        view -> {
          for (boolean timed : new boolean[] {false, true}) {
            Task<Boolean> early =
                scene().inThread(() -> interrupted(() -> await(view.ours, timed)));
            assertThat(scene().failureInTime(early.result()))
                .isInstanceOf(InterruptedException.class);
          }
          assertThat(inTime(() -> interrupted(() -> lockAndUnlock(view.ours)))).isTrue();
          assertThat(inTime(() -> interrupted(() -> view.ours.tryLock() && unlock(view.ours))))
              .isTrue();
          assertThat(tryElsewhere(view.blocker)).isTrue();
        });
  }

  @Test
  void unlock_after_a_break_reports_the_loss_and_the_thread_can_lock_again() throws Exception {
    forEachView(
        view -> {
          view.ours.lock();
          assertThat(b.breakLock(view.lock)).isTrue();

          assertThatThrownBy(view.ours::unlock)
              .isInstanceOf(LeaseLostException.class)
              .hasMessageContaining(view.lock);

          assertThatThrownBy(view.ours::unlock).isInstanceOf(IllegalMonitorStateException.class);
          assertThat(lockAndUnlock(view.ours)).isTrue();
        });
  }

  @Test
  void the_view_of_a_mutex_has_the_lease_of_its_thread() {
    LeasedLock view = a.lock(name).asLock();
    assertThatThrownBy(view::lease).isInstanceOf(IllegalMonitorStateException.class);

    view.lock();

    assertThat(b.inspect(name).holders().get(0).token()).isEqualTo(view.lease().token());
    assertThatThrownBy(() -> view.lease().close())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("unlock()");
    assertThat(isFree(b)).isFalse();
    view.unlock();
    assertThatThrownBy(view::lease).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(isFree(b)).isTrue();
  }

  /** Runs it with the interrupt flag set; whether it says yes and the flag is still there. */
  private static boolean interrupted(Attempt attempt) throws InterruptedException {
    Thread.currentThread().interrupt();
    return attempt.run() && Thread.currentThread().isInterrupted();
  }

  @FunctionalInterface
  private interface Attempt {
    boolean run() throws InterruptedException;
  }

  private boolean inTime(Attempt attempt) {
    return scene().resultInTime(scene().inThread(attempt::run).result());
  }

  private static boolean await(Lock view, boolean timed) throws InterruptedException {
    if (timed) {
      return view.tryLock(10, TimeUnit.MINUTES);
    }
    view.lockInterruptibly();
    return true;
  }

  private boolean tryElsewhere(Lock view) {
    return inTime(() -> view.tryLock() && unlock(view));
  }

  private static boolean lockAndUnlock(Lock view) {
    view.lock();
    return unlock(view);
  }

  private static boolean unlock(Lock view) {
    view.unlock();
    return true;
  }
}
