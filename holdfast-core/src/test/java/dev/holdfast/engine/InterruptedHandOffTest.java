package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A thread is interrupted while the claim of its client is handed off to it. */
class InterruptedHandOffTest {

  private enum Outcome {
    /** The lock was handed to it; the interrupt is for later. */
    GRANTED,
    /** It was interrupted, and another client could take the lock. */
    FREE,
    /** It was interrupted, and another client could not. */
    TAKEN
  }

  @Test
  void the_claim_has_left_before_the_thread_learns_of_it_wherever_the_interrupt_falls()
      throws Exception {
    int reading = 1;
    while (interruptedAt(reading)) {
      reading++;
    }
    assertThat(reading).as("no interrupt fell into a release").isGreaterThan(1);
  }

  /** Returns whether the release read the clock so often that the interrupt fell into it. */
  private static boolean interruptedAt(int reading) throws Exception {
    AtomicReference<StopTicker> time = new AtomicReference<>();
    try (Clients clients =
        Clients.reading(
            inner -> {
              time.set(new StopTicker(inner));
              return time.get();
            })) {
      return new HandOff(clients, time.get()).isInterruptedAt(reading);
    }
  }

  private static final class HandOff {
    private final Clients clients;
    private final StopTicker time;
    private final DistributedLock lock;
    private final Lease held;
    private final AtomicReference<Thread> waiter = new AtomicReference<>();
    private final Background<Outcome> waiting;
    private final AtomicBoolean early = new AtomicBoolean();

    HandOff(Clients clients, StopTicker time) throws InterruptedException {
      this.clients = clients;
      this.time = time;
      this.lock = clients.client.lock("x");
      // Both wait at the store at first: its answer then brings the token for the hand-off.
      Lease theirs = clients.other.lock("x").acquire();
      CompletableFuture<Lease> first = lock.acquireAsync();
      waiting = Background.start(this::waitForLock).awaitWaiting();
      theirs.close();
      held = first.join();
    }

    private Outcome waitForLock() {
      waiter.set(Thread.currentThread());
      try (Lease lease = lock.acquire()) {
        return Outcome.GRANTED;
      } catch (InterruptedException e) {
        return takenByOther() ? Outcome.FREE : Outcome.TAKEN;
      }
    }

    private boolean takenByOther() {
      return clients.other.lock("x").tryAcquireAsync().join() != null;
    }

    /** Returns whether the interrupt fell into the release; asserts what the thread heard then. */
    boolean isInterruptedAt(int reading) throws Exception {
      clients.faults.set(Verb.LEAVE, Manner.DOES_IT_LATE);
      Background<Boolean> releasing =
          Background.start(
              () -> {
                time.stopAt(reading, this::interrupt);
                held.close();
                return !time.forget();
              });
      await().until(() -> isDoneOrAnswered(releasing) & isDoneOrAnswered(waiting));
      if (!early.get()) {
        assertThat(waiting.get())
            .as("interrupt at reading %s", reading)
            .isNotEqualTo(Outcome.TAKEN);
      }
      return releasing.get();
    }

    /** Within the release: interrupts the thread that waits, and lets it come as far as it can. */
    private void interrupt() {
      Thread thread = waiter.get();
      Object parkedAt = LockSupport.getBlocker(thread);
      thread.interrupt();
      await()
          .until(
              () -> {
                Object blocker = LockSupport.getBlocker(thread);
                return waiting.isDone() || (blocker != null && blocker != parkedAt);
              });
      early.set(waiting.isDone()); // it gave up while the lock was still held
    }

    /** The store does what it was asked to only when nobody can go on without it. */
    private boolean isDoneOrAnswered(Background<?> thread) {
      if (!thread.isDone() && thread.isWaiting() && clients.store.leaves.get() > 0) {
        clients.faults.answer();
      }
      return thread.isDone();
    }
  }
}
