package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.testkit.MultiLockTaker;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several locks as one. */
public abstract class MultiLockRules extends EngineRules {

  private static final int ROUNDS = 5;

  /** Given in no order. */
  private List<String> names = List.of();

  @BeforeEach
  void makeNames() {
    names = List.of(name + "/b", name + "/c", name + "/a");
  }

  @Test
  void one_lease_covers_all_and_has_a_token_for_each() throws Exception {
    Lease earlier = b.lock(names.get(0)).acquire();
    release(earlier);

    MultiLease all = a.lockAll(names).acquire();

    assertThat(all.parts())
        .extracting(Lease::lockName)
        .containsExactly(name + "/a", name + "/b", name + "/c");
    assertThat(all.parts().get(1).token()).isGreaterThan(earlier.token());
    assertThat(all.part(name + "/c")).isEqualTo(all.parts().get(2));
    assertThatThrownBy(() -> all.part(name)).isInstanceOf(IllegalArgumentException.class);
    for (String each : names) {
      assertThat(b.lock(each).tryAcquire()).isNull();
    }
    all.renew();
    release(all);
    assertThat(all.isValid()).isFalse();
    release(b.lockAll(names).acquire());
  }

  @Test
  void all_or_nothing() throws Exception {
    for (String busy : names) {
      Lease theirs = b.lock(busy).acquire();
      assertThat(a.lockAll(names).tryAcquire()).isNull();
      assertThat(scene().resultInTime(a.lockAll(names).tryAcquireAsync())).isNull();
      CompletableFuture<MultiLease> waiting = a.lockAll(names).acquireAsync();
      awaitWaiter(busy);
      waiting.cancel(false);
      for (String other : names) {
        if (!other.equals(busy)) {
          release(scene().resultInTime(b.lock(other).acquireAsync()));
        }
      }
      release(theirs);
    }
  }

  @Test
  void a_waiter_gets_all_once_the_last_is_free() throws Exception {
    Lease theirs = b.lock(names.get(1)).acquire();
    CompletableFuture<MultiLease> waiting = a.lockAll(names).acquireAsync();
    awaitWaiter(names.get(1));
    assertThat(waiting).isNotDone();

    release(theirs);

    MultiLease all = scene().resultInTime(waiting);
    assertThat(all.isValid()).isTrue();
    release(all);
  }

  @Test
  void nothing_stays_taken_for_a_min_hold_when_one_is_busy() throws Exception {
    LockOptions options = scene().lasting().minHold(Duration.ofMinutes(5));
    if (!scene().traits().lingers()) {
      assertThatThrownBy(() -> a.lockAll(names, options))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("does not support minHold");
      return;
    }
    Lease theirs = b.lock(name + "/c").acquire();
    assertThat(a.lockAll(names, options).tryAcquire()).isNull();
    release(scene().resultInTime(b.lock(name + "/a").acquireAsync()));
    release(theirs);
  }

  @Test
  void a_caller_that_waits_for_the_next_learns_at_once_that_one_is_lost() throws Exception {
    Lease theirs = b.lock(name + "/c").acquire();
    CompletableFuture<MultiLease> waiting = a.lockAll(names, scene().brief()).acquireAsync();
    scene().eventually("the first is taken", () -> b.inspect(name + "/a").isHeld());
    b.breakLock(name + "/a");
    assertThat(scene().failureInTime(waiting))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(name + "/a");
    release(theirs);
  }

  @Test
  void the_loss_of_one_is_the_loss_of_all_and_is_reported_once() throws Exception {
    MultiLease all = a.lockAll(names).acquire();
    AtomicInteger reported = new AtomicInteger();
    all.onLost(reported::incrementAndGet);

    b.breakLock(names.get(0));
    assertThatThrownBy(all::renew).isInstanceOf(LeaseLostException.class);

    scene().eventually("the loss is reported", () -> reported.get() == 1);
    assertThat(all.isValid()).isFalse();
    assertThat(scene().resultInTime(all.releaseAsync())).isFalse();
    release(b.lockAll(names).acquire());
    assertThat(reported).hasValue(1);
  }

  /** Pitfall 25. */
  @Test
  void eight_threads_that_want_the_same_locks_in_opposite_orders_never_block_each_other()
      throws Exception {
    List<Task<Boolean>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Holdfast client = i % 4 < 2 ? a : b;
      List<String> order = i % 2 == 0 ? names : reversed();
      tasks.add(scene().inThread(() -> takeOften(client.lockAll(order))));
    }
    assertThat(tasks).allMatch(task -> scene().resultInTime(task.result()));
    release(a.lockAll(names).acquire());
  }

  @Test
  void two_processes_that_want_the_same_locks_in_opposite_orders_never_block_each_other()
      throws Exception {
    String url = scene().fixture().url().orElse("");
    if (!scene().traits().spansProcesses()) {
      assertThat(takeOften(a.lockAll(reversed()))).isTrue();
      return;
    }
    Duration ttl = scene().lasting().ttl();
    try (var one = MultiLockTaker.start(url, ROUNDS, ttl, names);
        var two = MultiLockTaker.start(url, ROUNDS, ttl, reversed())) {
      Task<Boolean> here = scene().inThread(() -> takeOften(a.lockAll(reversed())));
      assertThat(scene().resultInTime(here.result())).isTrue();
      one.await("done");
      two.await("done");
    }
  }

  private void release(MultiLease all) {
    assertThat(scene().resultInTime(all.releaseAsync())).isTrue();
  }

  private List<String> reversed() {
    List<String> reversed = new ArrayList<>(names);
    Collections.reverse(reversed);
    return reversed;
  }

  private static boolean takeOften(MultiLock locks) throws InterruptedException {
    for (int i = 0; i < ROUNDS; i++) {
      locks.acquire().close();
    }
    return true;
  }
}
