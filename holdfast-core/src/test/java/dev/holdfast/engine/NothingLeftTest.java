package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.WRITE;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Whatever happened to a lock: once its last lease is closed, and a claim that the client may come
 * back to has been idle for long enough, nothing of its name is kept.
 */
class NothingLeftTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void nothing_is_left() {
    scene.endIdleClaims();
    assertThat(scene.engine.names()).as("names in use").isZero();
    assertThat(scene.store.observers).as("observers").hasValue(0);
    scene.faults.setAll(Manner.ANSWERS);
    scene.advance(Duration.ofMinutes(5)); // time-outs and clean-ups run their course
    int before = scene.store.calls();
    scene.advance(Duration.ofHours(1));
    assertThat(scene.store.calls()).as("calls for claims that are over").isEqualTo(before);
    assertThat(scene.ticker.tasks()).as("tasks of the ticker").isZero();
    assertThat(scene.engine.list("", 10)).as("locks in the store").isEmpty();
    scene.close();
  }

  @Test
  void after_many_names() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      scene.engine.acquire("lock/" + i, MUTEX, ofSeconds(1).toNanos(), true).close();
    }
  }

  @Test
  void after_many_names_held_at_the_same_time() {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      leases.add(scene.request("lock/" + i, MUTEX).join());
    }
    scene.advance(ofSeconds(60));
    leases.forEach(Lease::close);
  }

  @Test
  void after_re_entry() throws Exception {
    Lease outer = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
    Lease inner = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
    outer.close();
    inner.close();
  }

  @Test
  void after_readers_and_writers() {
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (LockSpec spec : List.of(READ, READ, WRITE, READ, WRITE, WRITE, READ, READ)) {
      all.add(scene.request("x", spec));
    }
    all.forEach(each -> each.join().close());
  }

  @Test
  void after_hand_off() {
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(scene.request("x", MUTEX));
    }
    all.forEach(each -> each.join().close());
  }

  @Test
  void after_waiting_in_vain() {
    Engine other = scene.otherClient();
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    scene.engine.acquireAsync("x", MUTEX, ofSeconds(1).toNanos());
    scene.engine.acquireAsync("x", MUTEX, 0);
    scene.advance(ofSeconds(1));
    theirs.close();
  }

  @Test
  void after_cancellation() {
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    scene.request("x", MUTEX).cancel(false);
    theirs.close();
  }

  @Test
  void after_an_interrupt() throws Exception {
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    Background<EngineLease> waiting =
        Background.start(() -> scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true))
            .awaitWaiting();
    waiting.interrupt();
    assertThat(waiting)
        .satisfies(w -> assertThat(failure(w)).isInstanceOf(InterruptedException.class));
    theirs.close();
  }

  private static Throwable failure(Background<?> background) {
    try {
      background.get();
      return null;
    } catch (Exception e) {
      return e;
    }
  }

  @Test
  void after_a_loss() {
    Lease lease = scene.request("x", MUTEX).join();
    lease.onLost(() -> {});
    scene.otherClient().evict("x", LockStore.ANY_TOKEN);
    scene.advance(ofSeconds(10));
    lease.close();
  }

  @Test
  void after_a_loss_that_nobody_closes_because_no_thread_holds_it() {
    scene.request("x", MUTEX).join();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    scene.advance(OPTIONS.ttl());
  }

  @Test
  void after_max_hold() {
    scene.request("x", LockSpec.mutex(OPTIONS.maxHold(ofSeconds(60)))).join();
    scene.advance(ofSeconds(60));
  }

  @Test
  void after_min_hold() {
    scene.request("x", LockSpec.mutex(OPTIONS.minHold(ofSeconds(60)))).join().close();
    scene.advance(ofSeconds(60));
  }

  @Test
  void after_a_join_without_answer() {
    scene.faults.set(Verb.JOIN, Manner.LOSES_THE_ANSWER);
    scene.request("x", MUTEX);
    scene.advance(Scene.OPERATION_TIMEOUT);
  }

  @Test
  void after_a_leave_without_answer() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.LEAVE, Manner.IGNORES);
    lease.releaseAsync();
    scene.advance(Duration.ofMinutes(5));
  }

  @Test
  void after_a_mismatch() {
    Lease theirs = scene.otherClient().acquireAsync("x", READ, Request.FOR_EVER).join();
    scene.request("x", MUTEX);
    theirs.close();
  }

  @Test
  void after_detaching() {
    scene.request("x", MUTEX).join().detach();
    scene.advance(OPTIONS.ttl());
  }
}
