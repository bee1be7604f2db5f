package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that a schedule starts on several machines. */
public abstract class JobRules extends EngineRules {

  @Test
  void a_job_runs_unless_it_runs_elsewhere() throws Exception {
    AtomicBoolean elsewhere = new AtomicBoolean(true);
    AtomicInteger runs = new AtomicInteger();

    boolean ran = a.lock(name).tryRun(() -> elsewhere.set(runs(b, runs)));

    assertThat(ran).isTrue();
    assertThat(elsewhere).isFalse();
    assertThat(runs(b, runs)).isTrue();
    assertThat(runs).hasValue(1);
  }

  @Test
  void what_a_job_throws_is_thrown_and_the_lock_is_free() throws Exception {
    assertThatThrownBy(
            () ->
                a.lock(name)
                    .tryRun(
                        () -> {
                          throw new IllegalStateException("of the job");
                        }))
        .hasMessage("of the job");
    assertThat(runs(b, new AtomicInteger())).isTrue();
  }

  @Test
  void the_lock_stays_taken_for_its_min_hold_after_the_process_has_ended() throws Exception {
    LockOptions options = scene().lasting().minHold(Duration.ofMillis(1_500));
    AtomicInteger runs = new AtomicInteger();
    Holdfast shortLived = scene().client();
    if (!scene().traits().lingers()) {
      assertThatThrownBy(() -> shortLived.lock(name, options).tryRun(runs::incrementAndGet))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("does not support minHold");
      return;
    }
    long start = scene().nanoTime();
    assertThat(shortLived.lock(name, options).tryRun(runs::incrementAndGet)).isTrue();
    shortLived.close();

    scene().eventually("it can run again", () -> runs(b, runs));

    assertThat(runs).hasValue(2);
    assertThat(scene().nanoTime() - start).isGreaterThan(Duration.ofMillis(1_000).toNanos());
  }

  /** Ways to run a task under a lock. */
  private enum Way {
    RUN {
      @Override
      void run(DistributedLock lock, Runnable task) throws Exception {
        lock.run(task);
      }
    },
    RUN_WITH_LEASE {
      @Override
      void run(DistributedLock lock, Runnable task) throws Exception {
        lock.run(lease -> task.run());
      }
    },
    CALL {
      @Override
      void run(DistributedLock lock, Runnable task) throws Exception {
        lock.call(Executors.callable(task));
      }
    },
    CALL_WITH_LEASE {
      @Override
      void run(DistributedLock lock, Runnable task) throws Exception {
        lock.call(
            lease -> {
              task.run();
              return lease.token();
            });
      }
    },
    TRY_RUN {
      @Override
      void run(DistributedLock lock, Runnable task) throws Exception {
        lock.tryRun(task);
      }
    },
    TRY_RUN_WITH_LEASE {
      @Override
      void run(DistributedLock lock, Runnable task) throws Exception {
        lock.tryRun(lease -> task.run());
      }
    };

    abstract void run(DistributedLock lock, Runnable task) throws Exception;
  }

  @Test
  void a_task_whose_lock_is_broken_is_interrupted_and_its_caller_is_notified() throws Exception {
    for (Way way : Way.values()) {
      CountDownLatch never = new CountDownLatch(1);
      AtomicBoolean interrupted = new AtomicBoolean();
      AtomicBoolean flagAfterwards = new AtomicBoolean();
      Task<Boolean> job =
          scene()
              .inThread(
                  () -> {
                    try {
                      way.run(brief(a), () -> wait(never, interrupted));
                      return true;
                    } finally {
                      flagAfterwards.set(Thread.currentThread().isInterrupted());
                    }
                  });
      scene().eventually("it runs", () -> b.inspect(name).isHeld());

      b.breakLock(name);

      assertThat(scene().failureInTime(job.result()))
          .as("%s", way)
          .isInstanceOf(LeaseLostException.class);
      assertThat(interrupted).as("interrupted in %s", way).isTrue();
      assertThat(flagAfterwards).as("flag after %s", way).isFalse();
    }
  }

  @Test
  void a_task_gets_the_lease_that_it_runs_under() throws Exception {
    long token = a.lock(name).call(Lease::token);

    a.lock(name).run(lease -> assertThat(lease.token()).isGreaterThan(token));
    assertThat(a.lock(name).tryRun(lease -> lease.ensure(Duration.ofMillis(1)))).isTrue();
  }

  /** Work that was done without the lock is reported, also if the loss went unnoticed meanwhile. */
  @Test
  void a_task_that_ends_after_its_lock_was_broken_does_not_end_well() throws Exception {
    assertThatThrownBy(() -> a.lock(name).run(() -> b.breakLock(name)))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(name);
    assertThatThrownBy(
            () ->
                a.lock(name)
                    .run(
                        () -> {
                          b.breakLock(name);
                          throw new IllegalStateException("of the task");
                        }))
        .isInstanceOf(LeaseLostException.class)
        .hasSuppressedException(new IllegalStateException("of the task"));
  }

  @Test
  void a_job_that_runs_for_its_max_hold_is_interrupted_and_can_run_elsewhere() throws Exception {
    LockOptions options = scene().brief().maxHold(scene().brief().ttl());
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    Task<Boolean> job =
        scene().inThread(() -> a.lock(name, options).tryRun(() -> wait(never, interrupted)));

    assertThat(scene().failureInTime(job.result()))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("maxHold");
    assertThat(interrupted).isTrue();
    AtomicInteger runs = new AtomicInteger();
    scene().eventually("it can run elsewhere", () -> runs(b, runs));
  }

  private boolean runs(Holdfast client, AtomicInteger runs) {
    try {
      return client.lock(name).tryRun(runs::incrementAndGet);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void wait(CountDownLatch latch, AtomicBoolean interrupted) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      interrupted.set(true);
    }
  }
}
