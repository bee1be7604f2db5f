package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MultiLockTest {

  private final Scene scene = Scene.on(SilentForB::new);
  private final MultiLock all = scene.locks.lockAll(List.of("c", "a", "b", "a"), OPTIONS);

  @AfterEach
  void close() {
    scene.close();
  }

  /** Never answers when "b" is released. */
  private static final class SilentForB extends ForwardingStore {
    static volatile boolean silent;

    SilentForB(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<Map<Claim, Left>> leave(
        Collection<Departure> departures, Deadline deadline) {
      return silent && departures.stream().anyMatch(d -> d.claim().lock().equals("b"))
          ? CompletableFuture.failedStage(new StoreException("", "b is broken"))
          : super.leave(departures, deadline);
    }
  }

  @Test
  void they_are_taken_in_the_order_of_their_names_and_each_once() throws Exception {
    assertThat(all.names()).containsExactly("a", "b", "c");
    try (MultiLease lease = all.acquire()) {
      assertThat(scene.store.joins).extracting(Claim::lock).containsExactly("a", "b", "c");
      assertThat(lease.toString()).contains("'a', 'b', 'c'").contains("HELD");
      assertThat(all.isHeldByCurrentThread()).isTrue();
    }
    assertThat(all.isHeldByCurrentThread()).isFalse();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void one_deadline_covers_all_of_them() {
    Engine other = scene.otherClient();
    Lease first = other.acquireAsync("a", MUTEX, Request.FOR_EVER).join();
    other.acquireAsync("c", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<MultiLease> waiting = all.tryAcquireAsync(ofMillis(200));
    CompletableFuture<MultiLease> failing = all.acquireAsync(ofMillis(200));
    scene.advance(ofMillis(150));
    first.close();
    scene.advance(ofMillis(49));
    assertThat(waiting).isNotDone();
    scene.advance(ofMillis(1));
    assertThat(waiting).isCompletedWithValue(null);
    scene.advance(ofSeconds(1)); // who holds it is asked for the message
    assertThatThrownBy(failing::join).hasCauseInstanceOf(LockTimeoutException.class);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_time_out_names_the_lock_that_was_busy() {
    scene.otherClient().acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    assertThatThrownBy(() -> all.acquire(ofMillis(0)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("'b'");
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_caller_that_gives_up_between_two_locks_leaves_nothing_behind() {
    scene.otherClient().acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<MultiLease> waiting = all.acquireAsync();
    assertThat(scene.engine.inspect("a").isHeld()).isTrue();
    waiting.cancel(false);
    assertThat(scene.engine.inspect("a").isHeld()).isFalse();
    assertThat(scene.engine.inspect("b").waiters()).isEmpty();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void all_are_released_although_the_release_of_one_fails() throws Exception {
    MultiLease lease = all.acquire();
    SilentForB.silent = true;
    try {
      assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
      assertThat(scene.engine.inspect("a").isHeld()).isFalse();
      assertThat(scene.engine.inspect("c").isHeld()).isFalse();
      assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
      assertThat(lease.release()).isFalse();
    } finally {
      SilentForB.silent = false;
    }
  }

  @Test
  void one_that_is_lost_while_the_next_is_awaited_is_reported_and_the_rest_is_given_back() {
    Lease theirs = scene.otherClient().acquireAsync("c", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<MultiLease> waiting = all.acquireAsync();
    scene.otherClient().evict("a", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    theirs.close();
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(LeaseLostException.class);
    // By a thread of the client's own, which has told us first.
    await().until(() -> !scene.engine.inspect("c").isHeld());
  }

  @Test
  void the_loss_is_reported_once_and_an_action_can_be_taken_back() throws Exception {
    MultiLease lease = all.acquire();
    AtomicInteger told = new AtomicInteger();
    AtomicInteger takenBack = new AtomicInteger();
    Registration registration = lease.onLost(takenBack::incrementAndGet);
    lease.onLost(told::incrementAndGet);
    registration.close();
    scene.otherClient().evict("a", LockStore.ANY_TOKEN);
    scene.otherClient().evict("c", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    assertThat(told).hasValue(1);
    assertThat(takenBack).hasValue(0);
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    lease.close();
    assertThat(scene.engine.inspect("b").isHeld()).isFalse();
  }

  @Test
  void parts_that_were_detached_or_closed_before_are_not_called_lost() throws Exception {
    try (Logs.Recording logs = Logs.record()) {
      MultiLease lease = all.acquire();
      lease.parts().get(0).detach();
      lease.parts().get(1).close();
      lease.close();
      assertThat(logs.atLeast(Level.WARNING)).isEmpty();
    }
    assertThat(scene.engine.inspect("a").isHeld()).isTrue();
    assertThat(scene.engine.inspect("c").isHeld()).isFalse();
  }

  @Test
  void each_part_has_its_own_token() throws Exception {
    try (MultiLease lease = all.acquire()) {
      assertThat(lease.part("b").token()).isEqualTo(lease.parts().get(1).token());
      assertThatThrownBy(() -> lease.part("d"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'d' is not one of 'a', 'b', 'c'");
    }
    assertThatThrownBy(() -> scene.locks.lockAll(List.of(), OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 256");
  }

  @Test
  void a_task_can_have_its_lease() throws Exception {
    List<Long> tokens = new ArrayList<>();
    all.run(lease -> tokens.add(lease.part("a").token()));
    assertThat(all.<Boolean>call(lease -> tokens.add(lease.part("a").token()))).isTrue();
    assertThat(all.tryRun(lease -> tokens.add(lease.part("a").token()))).isTrue();
    assertThat(tokens).hasSize(3).isSorted().doesNotHaveDuplicates();
    try (Lease theirs = scene.otherClient().acquireAsync("b", MUTEX, Request.FOR_EVER).join()) {
      assertThat(all.tryRun(lease -> tokens.add(theirs.token()))).isFalse();
    }
    assertThat(tokens).hasSize(3);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void an_uninterruptible_wait_for_all_goes_on_and_keeps_the_interrupt() throws Exception {
    Lease theirs = scene.otherClient().acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    Background<Boolean> waiting =
        Background.start(
                () -> {
                  try (MultiLease lease = all.acquireUninterruptibly()) {
                    return lease.isValid() && Thread.interrupted();
                  }
                })
            .awaitWaiting();
    waiting.interrupt();
    waiting.awaitWaiting();
    assertThat(waiting.isDone()).isFalse();
    theirs.close();
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void one_that_starts_over_holds_nothing_while_it_waits() throws Exception {
    Lease theirs = scene.otherClient().acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    // Each closes its own, whichever of the two comes first.
    CompletableFuture<Void> waiting =
        all.startingOver().acquireAsync().thenAccept(MultiLease::close);
    Background<Boolean> blocking =
        Background.start(
                () -> {
                  try (MultiLease lease = all.startingOver().acquire()) {
                    return lease.isValid();
                  }
                })
            .awaitWaiting();

    assertThat(scene.engine.inspect("a").isHeld()).isFalse();
    assertThat(scene.engine.inspect("c").isHeld()).isFalse();
    theirs.close();
    waiting.join();
    assertThat(blocking.get()).isTrue();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void one_that_starts_over_keeps_to_its_deadline() {
    scene.otherClient().acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<MultiLease> waiting = all.startingOver().tryAcquireAsync(ofMillis(200));
    scene.advance(ofMillis(199));
    assertThat(waiting).isNotDone();
    scene.advance(ofMillis(1));
    assertThat(waiting).isCompletedWithValue(null);
  }
}
