package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store without a queue answers busy even to those who wait; they come back after a while. */
class RetryingTest {

  private static final class Queueless extends ForwardingStore {
    Queueless(LockStore inner) {
      super(inner);
    }

    @Override
    public Traits traits() {
      return Traits.builder().build();
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return super.join(claim, false, deadline);
    }

    @Override
    public Registration observe(String lock, Runnable wake) {
      return Registration.NONE;
    }
  }

  private final Scene scene = Scene.on(Queueless::new);
  private final Engine other = scene.otherClient();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_waiter_gets_in_soon_after_the_lock_is_free() {
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    scene.advance(ofSeconds(10));
    assertThat(waiting).isNotDone();
    theirs.close();
    scene.advance(ofMillis(120));
    assertThat(waiting).isCompleted();
    assertThat(waiting.join().token()).isGreaterThan(theirs.token());
  }

  @Test
  void the_tries_are_spread_by_chance_within_bounds() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    List<Integer> pauses = new ArrayList<>();
    int pause = 0;
    for (int millis = 0; millis < 6_000; millis++) {
      int before = scene.store.joins.size();
      scene.advance(ofMillis(1));
      pause++;
      if (scene.store.joins.size() > before) {
        pauses.add(pause);
        pause = 0;
      }
    }
    assertThat(pauses).hasSizeBetween(50, 300).allMatch(each -> each >= 20 && each < 120);
    assertThat(new HashSet<>(pauses)).as("jitter").hasSizeGreaterThan(5);
    assertThat(waiting).isNotDone();
  }

  @Test
  void all_tries_of_a_waiter_are_the_same_claim() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    scene.request("x", MUTEX);
    scene.advance(ofSeconds(5));
    assertThat(new HashSet<>(scene.store.joins)).hasSize(1);
  }

  @Test
  void only_one_of_the_waiters_of_a_client_tries() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    for (int i = 0; i < 50; i++) {
      scene.request("x", MUTEX);
    }
    scene.advance(ofSeconds(1));
    assertThat(scene.store.joins).hasSizeLessThan(51); // at most 50 in a second, not 50 times that
  }

  @Test
  void waiting_in_vain_ends_as_busy_and_not_as_unknown() {
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> trying = scene.engine.acquireAsync("x", MUTEX, ofSeconds(3).toNanos());
    CompletableFuture<Lease> insisting = scene.locks.mutex("y", OPTIONS).acquireAsync(ofSeconds(3));
    insisting.join().close();
    scene.advance(ofSeconds(3));
    assertThat(trying).isCompletedWithValue(null);
    CompletableFuture<Lease> again = scene.locks.mutex("x", OPTIONS).acquireAsync(ofSeconds(3));
    scene.advance(ofSeconds(3));
    assertThatThrownBy(again::join).hasCauseInstanceOf(LockTimeoutException.class);
    assertThat(theirs.isValid()).isTrue();
  }

  @Test
  void a_request_that_gives_up_stops_trying() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    scene.advance(ofSeconds(1));
    waiting.cancel(false);
    int before = scene.store.joins.size();
    scene.advance(Duration.ofMinutes(1));
    assertThat(scene.store.joins).hasSize(before);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void the_next_in_the_client_goes_on_trying_when_the_first_gives_up() {
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> first = scene.request("x", MUTEX);
    CompletableFuture<Lease> second = scene.request("x", MUTEX);
    first.cancel(false);
    scene.advance(ofSeconds(1));
    theirs.close();
    scene.advance(ofSeconds(1));
    assertThat(second).isCompleted();
  }

  @Test
  void a_try_is_answered_busy_without_a_second_one() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    assertThat(scene.engine.acquireAsync("x", MUTEX, 0)).isCompletedWithValue(null);
    scene.advance(ofSeconds(1));
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_try_that_meets_silence_is_unknown_and_a_wait_that_was_confirmed_goes_on() {
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    scene.faults.set(Verb.JOIN, Manner.IGNORES);
    scene.advance(ofSeconds(6));
    CompletableFuture<Lease> trying = scene.engine.acquireAsync("x", MUTEX, 0);
    scene.advance(ofSeconds(6));
    assertThat(trying).isCompletedExceptionally();
    assertThatThrownBy(trying::join).hasCauseInstanceOf(StoreException.class);
    assertThat(waiting).isNotDone();

    scene.faults.set(Verb.JOIN, Manner.ANSWERS);
    theirs.close();
    scene.advance(ofSeconds(6));
    assertThat(waiting).isCompleted();
  }

  @Test
  void a_first_try_that_meets_silence_is_unknown() {
    scene.faults.set(Verb.JOIN, Manner.IGNORES);
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    scene.advance(ofSeconds(6));
    assertThat(waiting).isCompletedExceptionally();
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoreException.class);
    assertThat(scene.engine.names()).isZero();
  }
}
