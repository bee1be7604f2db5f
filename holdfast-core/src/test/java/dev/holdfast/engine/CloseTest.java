package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The end of a client. */
class CloseTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void every_lease_is_released_in_one_call() {
    List<Lease> leases =
        List.of(
            scene.request("a", MUTEX).join(),
            scene.request("b", MUTEX).join(),
            scene.request("c", Scene.READ).join());
    scene.engine.close();
    assertThat(leases).allMatch(lease -> lease.state() == LeaseState.RELEASED);
    assertThat(scene.otherClient().list("", 10)).isEmpty();
    assertThat(scene.store.leaves).hasValue(1);
    assertThat(scene.store.closes).hasValue(1);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void many_leases_are_released_in_bounded_calls() {
    for (int i = 0; i < 600; i++) {
      scene.request("lock/" + i, MUTEX).join();
    }
    scene.engine.close();
    assertThat(scene.store.leaves).hasValue(3);
    assertThat(scene.otherClient().list("", 10)).isEmpty();
  }

  @Test
  void the_store_stays_open_until_the_last_of_several_releases_is_answered() {
    CompletableFuture<Void> second = new CompletableFuture<>();
    AtomicInteger leaves = new AtomicInteger();
    AtomicBoolean early = new AtomicBoolean();
    try (Scene slow =
        Scene.on(
            inner ->
                new ForwardingStore(inner) {
                  @Override
                  public CompletionStage<Map<Claim, Left>> leave(
                      Collection<Departure> leaving, Deadline deadline) {
                    CompletionStage<Map<Claim, Left>> left = super.leave(leaving, deadline);
                    return leaves.incrementAndGet() < 2 ? left : second.thenCompose(now -> left);
                  }

                  @Override
                  public void close() {
                    early.set(!second.isDone());
                    super.close();
                  }
                })) {
      for (int i = 0; i < 300; i++) {
        slow.request("lock/" + i, MUTEX).join();
      }
      Background.start(
          () -> {
            await().until(() -> leaves.get() == 2);
            return second.complete(null);
          });
      slow.engine.close();
    }
    assertThat(early).isFalse();
  }

  @Test
  void a_release_that_is_decided_and_not_yet_sent_reaches_the_store_before_it_closes()
      throws Exception {
    Engine client = scene.clientOf(scene.store, Duration.ofHours(1));
    LockSpec limited = LockSpec.mutex(OPTIONS.maxHold(ofSeconds(60)));
    CompletableFuture<Lease> asked = new CompletableFuture<>();
    CountDownLatch decided = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<Background<Boolean>> releases = new ArrayList<>();
    // In the moment of its maxHold, before the timer: the release itself finds the loss. Its
    // effects are the loss, whose action runs on this thread, and behind it the leave.
    scene.ticker.schedule(
        Duration.ofMillis(52_500),
        () -> {
          releases.add(Background.start(() -> asked.join().release()));
          await().forever().until(() -> decided.getCount() == 0);
        });
    asked.complete(client.acquireAsync("x", limited, Request.FOR_EVER).join());
    asked
        .join()
        .onLost(
            () -> {
              decided.countDown();
              await().forever().until(() -> goOn.getCount() == 0);
            });
    scene.advance(Duration.ofMillis(52_500));
    Background<Boolean> closing =
        Background.start(
            () -> {
              client.close();
              return true;
            });
    closing.awaitWaiting();
    int closes = scene.store.closes.get();
    goOn.countDown();
    closing.get();
    releases.get(0).get();
    assertThat(closes).isZero();
    assertThat(scene.store.departures).hasSize(1);
    assertThat(scene.otherClient().inspect("x").isHeld()).isFalse();
  }

  @Test
  void a_waiter_learns_that_the_client_is_closed() throws Exception {
    scene.request("local", MUTEX).join();
    scene.otherClient().acquireAsync("remote", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> local = scene.request("local", MUTEX);
    CompletableFuture<Lease> remote = scene.request("remote", MUTEX);
    Background<EngineLease> blocked =
        Background.start(() -> scene.engine.acquire("local", MUTEX, Request.FOR_EVER, true))
            .awaitWaiting();
    scene.engine.close();
    for (CompletableFuture<Lease> each : List.of(local, remote)) {
      assertThatThrownBy(each::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasRootCauseMessage("the client is closed");
    }
    assertThatThrownBy(blocked::get)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the client is closed");
    assertThat(scene.otherClient().inspect("remote").waiters()).isEmpty();
  }

  @Test
  void a_caller_that_waits_for_an_answer_of_the_store_is_notified_too() throws Exception {
    scene.faults.set(Verb.INSPECT, Manner.IGNORES);
    Background<LockInfo> asking = Background.start(() -> scene.engine.inspect("x")).awaitWaiting();
    scene.engine.close();
    assertThatThrownBy(asking::get)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("(the client is closed)");
  }

  @Test
  void a_join_under_way_gets_a_tombstone() {
    scene.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    scene.engine.close();
    assertThat(waiting).isCompletedExceptionally();
    assertThat(scene.store.departures).hasSize(1).allMatch(departure -> departure.tombstone());
    scene.faults.answer();
    assertThat(scene.otherClient().inspect("x").isHeld()).isFalse();
  }

  @Test
  void closing_twice_is_closing_once() {
    scene.engine.close();
    scene.engine.close();
    assertThat(scene.store.closes).hasValue(1);
  }

  @Test
  void a_lease_can_be_closed_after_its_client() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.engine.close();
    assertThatCode(lease::close).doesNotThrowAnyException();
    assertThat(scene.store.leaves).hasValue(1);
  }

  @Test
  void a_closed_client_refuses_everything_and_says_so() {
    scene.request("x", MUTEX).join();
    scene.engine.close();
    List<ThrowingCallable> calls =
        List.of(
            () -> scene.locks.mutex("x", OPTIONS).acquire(),
            () -> scene.locks.mutex("x", OPTIONS).tryAcquire(),
            () -> scene.locks.mutex("x", OPTIONS).acquireAsync(),
            () -> scene.engine.inspect("x"),
            () -> scene.engine.list("", 10),
            () -> scene.engine.evict("x", LockStore.ANY_TOKEN));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the client of memory: is closed");
    }
  }

  @Test
  void closing_is_bounded_when_the_store_is_silent() {
    // The bound is in real time, because a client's own timer may be what hangs.
    HandTicker ticker = new HandTicker();
    SilentStore silent = new SilentStore(new MemoryLockStore(ticker));
    Holdfast locks =
        Holdfast.builder()
            .store(silent)
            .ticker(ticker)
            .executor(Runnable::run)
            .operationTimeout(Duration.ofMillis(50))
            .build();
    Lease lease = locks.lock("x").acquireAsync().join();
    silent.setAll(Manner.IGNORES);
    locks.close(); // returns
    assertThat(lease.isValid()).isFalse();
  }

  @Test
  void closing_goes_on_when_the_store_throws() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.setAll(Manner.THROWS);
    assertThatCode(scene.engine::close).doesNotThrowAnyException();
    assertThat(lease.isValid()).isFalse();
    assertThat(scene.store.closes).hasValue(1);
  }

  @Test
  void nothing_is_renewed_or_repeated_after_it() {
    scene.request("x", MUTEX).join();
    scene.faults.set(Verb.LEAVE, Manner.FAILS);
    scene.engine.close();
    int before = scene.store.calls();
    scene.advance(Duration.ofHours(1));
    assertThat(scene.store.calls()).isEqualTo(before);
    assertThat(scene.ticker.tasks()).isZero();
  }

  @Test
  void the_callers_ticker_stays_open() {
    scene.engine.close();
    Lease lease = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    scene.advance(ofSeconds(60));
    assertThat(lease.isValid()).isTrue();
  }
}
