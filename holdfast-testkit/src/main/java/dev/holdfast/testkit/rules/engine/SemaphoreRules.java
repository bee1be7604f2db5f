package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A number of permits. */
public abstract class SemaphoreRules extends EngineRules {

  @Test
  void a_semaphore_of_ten_really_runs_ten_threads_of_one_client_at_once() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          CyclicBarrier together = new CyclicBarrier(10);
          List<Task<Boolean>> tasks = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            tasks.add(
                scene()
                    .inThread(
                        () -> {
                          Lease permit = a.semaphore(name, 10).acquire();
                          together.await(60, TimeUnit.SECONDS);
                          boolean full = b.semaphore(name, 10).tryAcquire() == null;
                          together.await(60, TimeUnit.SECONDS);
                          permit.close();
                          return full;
                        }));
          }
          assertThat(tasks).allMatch(task -> scene().resultInTime(task.result()));
          release(b.semaphore(name, 10).acquire(10));
        });
  }

  @Test
  void permits_add_up_by_their_weight() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          Lease two = a.semaphore(name, 3).acquire(2);
          assertThat(two.proof().mode()).isEqualTo(Mode.PERMIT);
          assertThat(b.semaphore(name, 3).tryAcquire(2)).isNull();
          Lease one = b.semaphore(name, 3).acquire(1, Duration.ZERO);
          assertThat(one.token()).isGreaterThan(two.token());
          assertThat(a.semaphore(name, 3).tryAcquire()).isNull();
          release(two);
          release(one);
          release(b.semaphore(name, 3).acquire(3));
        });
  }

  @Test
  void when_any_of_several_holders_leaves_the_next_one_comes_in() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          Holdfast c = scene().client();
          for (int leaver = 0; leaver < 3; leaver++) {
            List<Lease> held =
                new ArrayList<>(
                    List.of(
                        a.semaphore(name, 3).acquire(),
                        b.semaphore(name, 3).acquire(),
                        a.semaphore(name, 3).acquire()));
            CompletableFuture<Lease> next = c.semaphore(name, 3).acquireAsync(1);
            awaitWaiter();
            assertThat(next).isNotDone();

            release(held.remove(leaver));

            release(scene().resultInTime(next));
            held.forEach(this::release);
          }
        });
  }

  @Test
  void a_request_for_few_does_not_overtake_one_for_many() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          Lease one = a.semaphore(name, 3).acquire();
          CompletableFuture<Lease> all = b.semaphore(name, 3).acquireAsync(3);
          awaitWaiter();
          if (scene().traits().fair()) {
            assertThat(scene().client().semaphore(name, 3).tryAcquire()).isNull();
          }
          release(one);
          release(scene().resultInTime(all));
        });
  }

  @Test
  void another_number_of_permits_is_refused_with_both_numbers() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          Lease permit = a.semaphore(name, 3).acquire();
          for (Holdfast client : List.of(a, b)) {
            assertThatThrownBy(() -> client.semaphore(name, 4).tryAcquire())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("capacity 3")
                .hasMessageContaining("capacity 4");
          }
          release(permit);
          release(b.semaphore(name, 4).acquire());
          assertThatThrownBy(() -> a.semaphore(name, 4).acquire(5))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("has 4 permits; it cannot give 5");
        });
  }

  @Test
  void a_lock_and_a_semaphore_of_one_name_are_refused_and_not_mixed_up() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          Lease permit = a.semaphore(name, 3).acquire();
          for (Holdfast client : List.of(a, b)) {
            assertThatThrownBy(() -> client.lock(name).tryAcquire())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("SEMAPHORE")
                .hasMessageContaining("MUTEX");
          }
          release(permit);
          Lease lease = a.lock(name).acquire();
          for (Holdfast client : List.of(a, b)) {
            assertThatThrownBy(() -> client.semaphore(name, 3).acquire())
                .isInstanceOf(IllegalStateException.class);
          }
          release(lease);
        });
  }

  @Test
  void there_are_never_more_permits_than_there_are() throws Exception {
    where(
        Kind.SEMAPHORE,
        () -> {
          AtomicInteger inside = new AtomicInteger();
          AtomicInteger most = new AtomicInteger();
          List<Task<Boolean>> tasks = new ArrayList<>();
          for (int i = 0; i < 8; i++) {
            Holdfast client = i % 2 == 0 ? a : b;
            int wanted = 1 + i % 3;
            tasks.add(scene().inThread(() -> useOften(client, wanted, inside, most)));
          }
          assertThat(tasks).allMatch(task -> scene().resultInTime(task.result()));
          assertThat(most.get()).isBetween(1, 3);
        });
  }

  private boolean useOften(Holdfast client, int wanted, AtomicInteger inside, AtomicInteger most)
      throws InterruptedException {
    for (int i = 0; i < 5; i++) {
      try (Lease permit = client.semaphore(name, 3).acquire(wanted, Duration.ofMinutes(5))) {
        most.accumulateAndGet(inside.addAndGet(wanted), Math::max);
        Thread.onSpinWait();
        inside.addAndGet(-wanted);
      }
    }
    return true;
  }
}
