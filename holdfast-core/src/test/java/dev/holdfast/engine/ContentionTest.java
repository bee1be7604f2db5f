package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockEvent;
import dev.holdfast.engine.state.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real threads at one lock, while time stands still. */
class ContentionTest {

  private static final int THREADS = 8;
  private static final int ROUNDS = 1_000;
  private static final long SEED = 77;

  private final Scene scene = Scene.plain();
  private final AtomicInteger inside = new AtomicInteger();

  @AfterEach
  void close() {
    scene.close();
  }

  private interface Task {
    void run(SplittableRandom random) throws Exception;
  }

  private static void inAllThreads(Task task) throws Exception {
    SplittableRandom seeds = new SplittableRandom(SEED);
    List<Background<Void>> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = seeds.split();
      threads.add(
          Background.start(
              () -> {
                for (int round = 0; round < ROUNDS; round++) {
                  task.run(random);
                }
                return (Void) null;
              }));
    }
    for (Background<Void> thread : threads) {
      thread.get();
    }
  }

  @Test
  void threads_exclude_each_other_with_rising_tokens() throws Exception {
    List<Long> tokens = new ArrayList<>(); // not safe for threads: the lock guards it
    inAllThreads(
        random -> {
          try (Lease lease = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true)) {
            tokens.add(lease.token());
          }
        });
    assertThat(tokens).hasSize(THREADS * ROUNDS).isSorted().doesNotHaveDuplicates();
    scene.endIdleClaims();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void threads_that_wait_together_need_fewer_calls_than_a_join_and_a_leave_each() throws Exception {
    AtomicInteger waits = new AtomicInteger();
    HoldfastListener counter =
        event -> waits.addAndGet(event.type() == LockEvent.Type.WAIT_STARTED ? 1 : 0);
    try (Scene heard = Scene.listenedToBy(counter)) {
      Lease theirs = heard.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      List<Background<Void>> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(
            Background.start(
                () -> {
                  heard.engine.acquire("x", MUTEX, Request.FOR_EVER, true).close();
                  return (Void) null;
                }));
      }
      await().until(() -> waits.get() == THREADS); // so that they meet, however slow the machine
      theirs.close();
      for (Background<Void> thread : threads) {
        thread.get();
      }
      assertThat(heard.store.calls()).isLessThan(2 * THREADS);
    }
  }

  @Test
  void two_clients_exclude_each_other_too() throws Exception {
    Engine other = scene.otherClient();
    List<Long> tokens = new ArrayList<>();
    inAllThreads(
        random -> {
          Engine engine = random.nextBoolean() ? scene.engine : other;
          try (Lease lease = engine.acquire("x", MUTEX, Request.FOR_EVER, true)) {
            tokens.add(lease.token());
          }
        });
    assertThat(tokens).hasSize(THREADS * ROUNDS).isSorted().doesNotHaveDuplicates();
    assertThat(scene.engine.names() + other.names()).isZero();
  }

  @Test
  void a_writer_is_alone_among_readers() throws Exception {
    AtomicInteger violations = new AtomicInteger();
    inAllThreads(
        random -> {
          boolean writes = random.nextInt(4) == 0;
          int weight = writes ? 1_000 : 1;
          Lease lease = scene.engine.acquire("x", writes ? WRITE : READ, Request.FOR_EVER, true);
          int together = inside.addAndGet(weight);
          if (writes ? together != weight : together >= 1_000) {
            violations.incrementAndGet();
          }
          inside.addAndGet(-weight);
          lease.close();
        });
    assertThat(violations).hasValue(0);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void tries_and_interrupted_waiters_do_not_disturb_the_others() throws Exception {
    AtomicInteger violations = new AtomicInteger();
    inAllThreads(
        random -> {
          if (random.nextInt(8) == 0) {
            Thread.currentThread().interrupt();
          }
          Lease lease = null;
          try {
            lease =
                random.nextInt(3) == 0
                    ? scene.engine.acquire("x", MUTEX, 0, true)
                    : scene.engine.acquire("x", MUTEX, Request.FOR_EVER, random.nextBoolean());
          } catch (InterruptedException e) {
            assertThat(lease).isNull();
          }
          if (lease != null) {
            violations.addAndGet(inside.incrementAndGet() == 1 ? 0 : 1);
            inside.decrementAndGet();
            lease.close();
          }
          Thread.interrupted();
        });
    assertThat(violations).hasValue(0);
    scene.endIdleClaims();
    assertThat(scene.engine.names()).isZero();
    assertThat(scene.engine.inspect("x").isHeld()).isFalse();
  }
}
