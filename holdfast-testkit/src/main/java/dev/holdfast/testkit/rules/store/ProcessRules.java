package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.BusyTaker;
import dev.holdfast.testkit.JavaProcess;
import dev.holdfast.testkit.LockTakerProcess;
import dev.holdfast.testkit.rules.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Other processes are excluded too, and those that are killed do not block the living. */
public abstract class ProcessRules extends Rules {

  private static final int STOPPED_LOCKS = 4;
  private static final int MOST_STOPS = 5;

  /** No further stop after this time. */
  private static final Duration STOPPING = Duration.ofSeconds(10);

  /** Longer than any operation takes, so that each is hit. */
  private static final long MOMENT_NANOS = Duration.ofMillis(20).toNanos();

  @Test
  void a_lock_held_by_another_process_is_busy_here_and_the_other_way_round() throws Exception {
    whereProcessesAreSpanned(
        url -> {
          Claim ours = scene().mutex(lock);
          long first = a.granted(ours).token();
          try (LockTakerProcess other = start(url, scene().lasting())) {
            other.awaitWaiting();
            a.left(ours);
            long second = other.awaitToken();

            assertThat(second).isGreaterThan(first);
            b.busy(scene().mutex(lock));
            other.release();
            assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(second);
          }
        });
  }

  @Test
  void two_processes_take_turns() throws Exception {
    whereProcessesAreSpanned(
        url -> {
          try (LockTakerProcess one = start(url, scene().lasting());
              LockTakerProcess two = start(url, scene().lasting())) {
            one.awaitWaiting();
            two.awaitWaiting();
            scene().eventually("one of them holds", () -> a.inspect(lock).isHeld());
            long holder = a.inspect(lock).holders().get(0).owner().pid();
            LockTakerProcess first = holder == one.pid() ? one : two;
            LockTakerProcess second = holder == one.pid() ? two : one;
            long token = first.awaitToken();

            first.release();

            assertThat(second.awaitToken()).isGreaterThan(token);
          }
        });
  }

  @Test
  void a_killed_holder_is_replaced_after_its_ttl() throws Exception {
    whereProcessesAreSpanned(
        url -> {
          try (LockTakerProcess other = start(url, processTtl())) {
            long token = other.awaitToken();
            b.busy(scene().mutex(lock));

            other.kill();

            Claim next = scene().mutex(lock);
            scene().eventually("the killed holder is replaced", () -> granted(b, next));
            assertThat(b.holds(next).token()).isGreaterThan(token);
          }
        });
  }

  /** Pitfall 12. */
  @Test
  void a_killed_waiter_does_not_block_the_queue() throws Exception {
    whereProcessesAreSpanned(
        url ->
            whereFair(
                () -> {
                  Claim holder = scene().mutex(lock);
                  a.granted(holder);
                  scene().keep(a, holder);
                  try (LockTakerProcess other = start(url, processTtl())) {
                    other.awaitWaiting();
                    scene().eventually("it waits", () -> a.inspect(lock).waiters().size() == 1);
                    Claim next = scene().mutex(lock);
                    b.queued(next);
                    scene().keep(b, next);

                    other.kill();

                    scene()
                        .eventually(
                            "the killed waiter leaves the queue",
                            () -> a.inspect(lock).waiters().size() == 1);
                    a.left(holder);
                    b.holds(next);
                  }
                }));
  }

  /** As by a hypervisor, or a long garbage collection. */
  @Test
  void a_process_that_is_stopped_in_the_middle_of_its_work_is_replaced_after_its_ttl()
      throws Exception {
    whereProcessesAreSpanned(
        url -> {
          List<String> locks = Stream.generate(scene()::name).limit(STOPPED_LOCKS).toList();
          long seed = System.nanoTime();
          Random moments = new Random(seed);
          long start = System.nanoTime();
          try (JavaProcess other = BusyTaker.start(url, scene().brief(), locks)) {
            for (int stop = 1; stop <= MOST_STOPS && isSoon(start, stop); stop++) {
              other.await("busy");
              LockSupport.parkNanos(moments.nextLong(MOMENT_NANOS));
              if (!scene().fixture().replacesStoppedClients()) {
                other.kill();
                stop = MOST_STOPS;
              } else {
                other.pause();
              }
              for (String stopped : locks) {
                Claim next = scene().mutex(stopped);
                scene()
                    .eventually(
                        "the locks of a stopped process are free, seed " + seed + ", stop " + stop,
                        () -> granted(b, next));
                b.left(next);
              }
              if (stop < MOST_STOPS) {
                other.say("");
                other.resume();
              }
            }
          }
        });
  }

  // Where a dead client is replaced late, one stop has to do.
  private static boolean isSoon(long start, int stop) {
    return stop == 1 || System.nanoTime() - start < STOPPING.toNanos();
  }

  @FunctionalInterface
  private interface UrlBody {
    void run(String url) throws Exception;
  }

  /** A store of one process excludes no other process, as its trait says. */
  private void whereProcessesAreSpanned(UrlBody body) throws Exception {
    if (scene().traits().spansProcesses()) {
      body.run(
          scene()
              .fixture()
              .url()
              .orElseThrow(
                  () -> new AssertionError("the store spans processes; its fixture has no URL")));
      return;
    }
    a.granted(scene().mutex(lock));
    if (scene().fixture().url().isPresent()) {
      try (LockTakerProcess other = start(scene().fixture().url().get(), scene().lasting())) {
        assertThat(other.awaitToken()).isPositive();
      }
    }
  }

  // Its renewals must not be late on a busy machine: it is to die when it is killed, not before.
  private Duration processTtl() {
    Duration calm = Duration.ofSeconds(3);
    return scene().brief().compareTo(calm) > 0 ? scene().brief() : calm;
  }

  private LockTakerProcess start(String url, Duration ttl) {
    return LockTakerProcess.start(url, lock, ttl);
  }
}
