package dev.holdfast.engine;

import static java.time.Duration.ofMinutes;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lost lease that its thread never closed keeps no memory of its name once the thread ended. */
class EndedThreadTest {

  private final Scene scene = Scene.plain();
  private final AtomicReference<Lease> lease = new AtomicReference<>(); // reachable, not closed
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void whose_thread_ended_before_the_loss() throws Exception {
    Thread holder = startHolder();
    end(holder);
    loseLease();
    assertNothingIsLeft();
  }

  @Test
  void whose_thread_ended_after_the_loss() throws Exception {
    Thread holder = startHolder();
    loseLease();
    end(holder);
    assertNothingIsLeft();
  }

  private Thread startHolder() throws InterruptedException {
    Thread holder =
        new Thread(
            () -> {
              try {
                lease.set(scene.locks.mutex("x", Scene.OPTIONS).acquire());
                held.countDown();
                mayEnd.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "holder");
    holder.setDaemon(true);
    holder.start();
    held.await();
    return holder;
  }

  private void end(Thread holder) throws InterruptedException {
    mayEnd.countDown();
    holder.join();
  }

  private void loseLease() {
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    scene.advance(Scene.OPTIONS.ttl());
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
    assertThat(requireNonNull(lease.get()).state()).isEqualTo(LeaseState.LOST);
  }

  private void assertNothingIsLeft() {
    // How it is noticed is the engine's choice: by a look now and then, or by what is unreachable.
    await()
        .untilAsserted(
            () -> {
              scene.advance(ofMinutes(1));
              System.gc();
              assertThat(scene.engine.names()).as("names in use").isZero();
              assertThat(scene.store.observers).as("observers").hasValue(0);
            });
    int before = scene.store.calls();
    scene.advance(ofMinutes(60));
    assertThat(scene.store.calls()).as("calls for a claim that is over").isEqualTo(before);
    assertThat(scene.ticker.tasks()).as("tasks of the ticker").isZero();
  }
}
