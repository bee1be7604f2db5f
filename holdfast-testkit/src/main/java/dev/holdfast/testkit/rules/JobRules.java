package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.rules.EngineScene.Task;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that a schedule starts on several machines. */
public abstract class JobRules extends EngineRules {

  @Test
  void a_job_runs_unless_it_runs_elsewhere() throws Exception {
    AtomicBoolean elsewhere = new AtomicBoolean(true);
    AtomicInteger runs = new AtomicInteger();

    boolean ran = a.runLocked(name, () -> elsewhere.set(runs(b, runs)));

    assertThat(ran).isTrue();
    assertThat(elsewhere).isFalse();
    assertThat(runs(b, runs)).isTrue();
    assertThat(runs).hasValue(1);
  }

  @Test
  void what_a_job_throws_is_thrown_and_the_lock_is_free() throws Exception {
    assertThatThrownBy(
            () ->
                a.runLocked(
                    name,
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
      assertThatThrownBy(() -> shortLived.runLocked(name, options, runs::incrementAndGet))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("minHold must be zero");
      return;
    }
    long start = scene().nanoTime();
    assertThat(shortLived.runLocked(name, options, runs::incrementAndGet)).isTrue();
    shortLived.close();

    scene().eventually("it can run again", () -> runs(b, runs));

    assertThat(runs).hasValue(2);
    assertThat(scene().nanoTime() - start).isGreaterThan(Duration.ofMillis(1_000).toNanos());
  }

  @Test
  void a_job_whose_lock_is_lost_is_interrupted_and_the_caller_is_told() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    AtomicBoolean flagAfterwards = new AtomicBoolean();
    Task<Boolean> job =
        scene()
            .inThread(
                () -> {
                  try {
                    return a.runLocked(name, scene().brief(), () -> wait(never, interrupted));
                  } finally {
                    flagAfterwards.set(Thread.currentThread().isInterrupted());
                  }
                });
    scene().eventually("it runs", () -> b.inspect(name).isHeld());

    b.breakLock(name);

    assertThat(scene().failureInTime(job.result())).isInstanceOf(LeaseLostException.class);
    assertThat(interrupted).isTrue();
    assertThat(flagAfterwards).isFalse();
  }

  @Test
  void a_job_that_runs_for_its_max_hold_is_interrupted_and_can_run_elsewhere() throws Exception {
    LockOptions options = scene().brief().maxHold(scene().brief().ttl());
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    Task<Boolean> job =
        scene().inThread(() -> a.runLocked(name, options, () -> wait(never, interrupted)));

    assertThat(scene().failureInTime(job.result()))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("maxHold");
    assertThat(interrupted).isTrue();
    AtomicInteger runs = new AtomicInteger();
    scene().eventually("it can run elsewhere", () -> runs(b, runs));
  }

  private boolean runs(Holdfast client, AtomicInteger runs) {
    try {
      return client.runLocked(name, runs::incrementAndGet);
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
