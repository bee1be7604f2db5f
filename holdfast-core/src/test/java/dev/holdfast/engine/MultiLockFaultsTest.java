package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockEvent;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes wrong while several locks are taken, renewed and given back. */
class MultiLockFaultsTest {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private final Queue<Runnable> callbacks = new ArrayDeque<>();
  private final Scene queueing = Scene.callingBackOn(callbacks::add, null);
  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();
  private final MultiLock all = scene.locks.lockAll(NAMES, OPTIONS);

  @AfterEach
  void close() {
    scene.close();
    queueing.close();
  }

  private void runCallbacks() {
    for (Runnable task = callbacks.poll(); task != null; task = callbacks.poll()) {
      task.run();
    }
  }

  @Test
  void releasing_on_the_only_callback_thread_waits_for_nothing_but_the_store() throws Exception {
    ExecutorService single = Executors.newSingleThreadExecutor();
    try (Scene onSingle = Scene.callingBackOn(single, null)) {
      MultiLease lease = onSingle.locks.lockAll(NAMES, OPTIONS).acquire();
      onSingle.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);

      Future<Boolean> released = single.submit(lease::release);

      await()
          .until(
              () -> {
                onSingle.faults.answer();
                return released.isDone();
              });
      assertThat(released.get()).isTrue();
    } finally {
      single.shutdown();
    }
  }

  @Test
  void a_client_that_is_closed_between_two_locks_fails_the_waiting_request() {
    CompletableFuture<MultiLease> waiting = queueing.locks.lockAll(NAMES, OPTIONS).acquireAsync();
    queueing.engine.close();
    runCallbacks();
    assertThat(waiting).isCompletedExceptionally();
    assertThatThrownBy(waiting::join)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(queueing.otherClient().inspect("a").isHeld()).isFalse();
  }

  @Test
  void locks_that_are_given_back_because_one_is_busy_do_not_stay_taken_for_their_min_hold()
      throws Exception {
    MultiLock minHold = scene.locks.lockAll(NAMES, OPTIONS.minHold(ofMinutes(5)));
    other.acquireAsync("c", MUTEX, Request.FOR_EVER).join();
    assertThat(minHold.tryAcquire()).isNull();
    assertThat(other.inspect("a").isHeld()).isFalse();
    assertThat(minHold.tryAcquireAsync().join()).isNull();
    assertThat(other.inspect("a").isHeld()).isFalse();
    CompletableFuture<MultiLease> waiting = minHold.acquireAsync();
    waiting.cancel(false);
    assertThat(other.inspect("b").isHeld()).isFalse();
  }

  @Test
  void a_lock_that_is_granted_to_nobody_does_not_stay_taken_for_its_min_hold() {
    DistributedLock minHold = queueing.locks.mutex("x", OPTIONS.minHold(ofMinutes(5)));
    for (CompletableFuture<Lease> granted :
        List.of(minHold.acquireAsync(), minHold.tryAcquireAsync())) {
      granted.cancel(false);
      runCallbacks();
      assertThat(queueing.otherClient().inspect("x").isHeld()).isFalse();
    }
  }

  @Test
  void a_lock_that_was_used_stays_taken_for_its_min_hold_though_a_nested_one_is_given_back()
      throws Exception {
    other.acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    MultiLock minHold = scene.locks.lockAll(NAMES, OPTIONS.minHold(ofMinutes(5)));
    Lease used = scene.locks.mutex("a", OPTIONS.minHold(ofMinutes(5))).acquire();
    assertThat(minHold.tryAcquire()).isNull();
    used.close();
    assertThat(other.inspect("a").isHeld()).isTrue();
  }

  @Test
  void a_lock_that_was_used_stays_taken_though_it_is_closed_while_its_thread_waits_for_another()
      throws Exception {
    other.acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    MultiLock minHold = scene.locks.lockAll(NAMES, OPTIONS.minHold(ofMinutes(5)));
    CompletableFuture<Lease> used = new CompletableFuture<>();
    Background<MultiLease> waiting =
        Background.start(
            () -> {
              used.complete(scene.locks.mutex("a", OPTIONS.minHold(ofMinutes(5))).acquire());
              return minHold.tryAcquire(ofSeconds(1));
            });
    await().until(() -> other.inspect("b").waiters().size() == 1);
    used.join().close();
    scene.advance(ofSeconds(1));
    assertThat(waiting.get()).isNull();
    assertThat(other.inspect("a").isHeld()).isTrue();
  }

  @Test
  void a_lock_that_was_held_before_stays_taken_no_longer_though_a_nested_one_is_given_back()
      throws Exception {
    other.acquireAsync("b", MUTEX, Request.FOR_EVER).join();
    MultiLock minHold = scene.locks.lockAll(NAMES, OPTIONS.minHold(ofMinutes(5)));
    Lease brief = scene.locks.mutex("a", OPTIONS.minHold(ofSeconds(10))).acquire();
    assertThat(minHold.tryAcquire()).isNull();
    scene.advance(ofSeconds(9));
    brief.close();
    assertThat(other.inspect("a").isHeld()).isTrue();
    scene.advance(ofSeconds(1));
    assertThat(other.inspect("a").isHeld()).isFalse();
  }

  @Test
  void each_lock_stays_taken_for_its_min_hold_from_its_own_grant_on() throws Exception {
    LockOptions minHold = OPTIONS.minHold(ofSeconds(60)).maxHold(ofSeconds(60));
    Lease theirs = other.acquireAsync("c", MUTEX, Request.FOR_EVER).join();
    Background<MultiLease> waiting =
        Background.start(() -> scene.locks.lockAll(NAMES, minHold).acquire());
    await().until(() -> other.inspect("c").waiters().size() == 1);
    scene.advance(ofSeconds(10));
    theirs.close();
    waiting.get().close();
    scene.advance(ofSeconds(49));
    assertThat(other.list("", 10)).extracting(LockInfo::name).containsExactly("a", "b", "c");
    scene.advance(ofSeconds(1));
    assertThat(other.list("", 10)).extracting(LockInfo::name).containsExactly("c");
    scene.advance(ofSeconds(10));
    assertThat(other.list("", 10)).isEmpty();
  }

  @Test
  void locks_that_ended_with_the_client_are_not_called_lost() throws Exception {
    AtomicBoolean lost = new AtomicBoolean();
    MultiLease lease = all.acquire();
    lease.onLost(() -> lost.set(true));
    try (Logs.Recording logs = Logs.record()) {
      scene.engine.close();
      lease.onLost(() -> lost.set(true));
      scene.advance(OPTIONS.ttl());
      lease.close();
      assertThat(logs.atLeast(Level.WARNING)).isEmpty();
    }
    assertThat(lost).isFalse();
    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
  }

  @Test
  void locks_that_are_closed_while_they_end_with_the_client_are_not_called_lost() throws Exception {
    AtomicReference<MultiLease> lease = new AtomicReference<>();
    List<String> states = new ArrayList<>();
    HoldfastListener closesItToo =
        event -> {
          if (event.type() == LockEvent.Type.RELEASED && states.isEmpty()) {
            lease.get().parts().forEach(part -> states.add(part.state().toString()));
            lease.get().close();
          }
        };
    try (Scene heard = Scene.listenedToBy(closesItToo);
        Logs.Recording logs = Logs.record()) {
      lease.set(heard.locks.lockAll(NAMES, OPTIONS).acquire());
      heard.engine.close();
      assertThat(states).containsExactly("RELEASED", "RELEASED", "RELEASED");
      assertThat(logs.atLeast(Level.WARNING)).isEmpty();
    }
  }

  @Test
  void a_task_that_closes_one_of_its_locks_learns_of_that_one() {
    assertThatThrownBy(() -> all.run(lease -> lease.part("b").close()))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'b'")
        .hasMessageContaining("was released");
  }

  @Test
  void a_thread_that_waits_for_the_next_learns_at_once_that_one_is_lost() throws Exception {
    other.acquireAsync("c", MUTEX, Request.FOR_EVER).join();
    Background<MultiLease> waiting = Background.start(all::acquire).awaitWaiting();
    await().until(() -> other.inspect("c").waiters().size() == 1);
    other.evict("a", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    assertThatThrownBy(waiting::get)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'a'")
        .hasMessageContaining(LossReason.ENDED_BY_STORE.text());
    assertThat(other.inspect("b").isHeld()).isFalse();
    assertThat(other.inspect("c").waiters()).isEmpty();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_future_that_waits_for_the_next_learns_at_once_that_one_is_lost() {
    other.acquireAsync("c", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<MultiLease> waiting = all.acquireAsync();
    other.evict("a", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    await().until(() -> scene.engine.names() == 0); // on a thread of the client's own
    assertThatThrownBy(waiting::join)
        .hasCauseInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'a'")
        .hasMessageContaining(LossReason.ENDED_BY_STORE.text());
    assertThat(other.inspect("b").isHeld()).isFalse();
    assertThat(other.inspect("c").waiters()).isEmpty();
  }

  @Test
  void a_loss_that_meets_the_last_grant_is_reported_with_its_reason() {
    CompletableFuture<MultiLease> waiting = queueing.locks.lockAll(NAMES, OPTIONS).acquireAsync();
    callbacks.remove().run(); // has "a"
    queueing.otherClient().evict("a", LockStore.ANY_TOKEN);
    queueing.advance(OPTIONS.renewEvery());
    runCallbacks();
    assertThat(waiting).isCompletedExceptionally();
    assertThatThrownBy(waiting::join)
        .hasCauseInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'a'")
        .hasMessageContaining(LossReason.ENDED_BY_STORE.text());
  }

  @Test
  void what_one_has_left_is_looked_at_after_the_renewal_of_the_others() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    try (Scene withoutA = Scene.on(inner -> failingForA(inner, failing))) {
      MultiLease lease = withoutA.locks.lockAll(NAMES, OPTIONS).acquire();
      withoutA.advance(ofSeconds(4));
      lease.parts().get(0).renew();
      failing.set(true);
      withoutA.faults.set(Verb.REFRESH, Manner.FAILS);
      withoutA.advance(ofSeconds(7));
      withoutA.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      Background<Boolean> ensuring = Background.start(() -> ensure(lease, ofMillis(12_400)));
      ensuring.awaitWaiting();
      withoutA.advance(ofSeconds(4)); // more than "a" can spare
      await()
          .until(
              () -> {
                withoutA.faults.answer();
                return ensuring.isDone();
              });
      assertThatThrownBy(ensuring::get).isInstanceOf(StoreException.class);
    }
  }

  private static LockStore failingForA(LockStore inner, AtomicBoolean failing) {
    return new ForwardingStore(inner) {
      @Override
      public CompletionStage<Map<Claim, Standing>> refresh(
          Collection<Claim> claims, Deadline deadline) {
        return failing.get() && claims.stream().anyMatch(claim -> claim.lock().equals("a"))
            ? CompletableFuture.failedStage(new StoreException("", "a is broken"))
            : super.refresh(claims, deadline);
      }
    };
  }

  private static boolean ensure(MultiLease lease, Duration atLeast) {
    lease.ensure(atLeast);
    return true;
  }

  @Test
  void one_time_out_covers_the_renewal_of_all() throws Exception {
    MultiLease lease = all.acquire();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    Background<Boolean> renewing =
        Background.start(
                () -> {
                  lease.renew();
                  return true;
                })
            .awaitWaiting();
    assertThat(scene.store.refreshes).hasSize(NAMES.size());
    scene.advance(Scene.OPERATION_TIMEOUT);
    assertThatThrownBy(renewing::get).isInstanceOf(StoreException.class);
  }
}
