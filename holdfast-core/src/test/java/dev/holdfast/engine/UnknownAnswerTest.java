package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPERATION_TIMEOUT;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The third kind of answer: neither yes nor no. */
class UnknownAnswerTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Nested
  class Waiting {

    private final Engine hasty = scene.otherClient(Runnable::run, ofSeconds(1));
    private final Lease held = scene.request("x", MUTEX).join();

    @Test
    void a_lock_that_stays_taken_is_busy_however_short_the_operation_time_out() {
      CompletableFuture<Lease> waiting = hasty.acquireAsync("x", MUTEX, ofSeconds(3).toNanos());
      scene.advance(ofSeconds(2));
      assertThat(hasty.acquireAsync("x", MUTEX, 0)).isCompletedWithValue(null);
      scene.advance(ofSeconds(1));
      assertThat(waiting).isCompletedWithValue(null);
      assertThat(held.isValid()).isTrue();
    }

    @Test
    void a_store_that_has_fallen_silent_is_not_busy() {
      Lease theirs = hasty.acquireAsync("y", MUTEX, Request.FOR_EVER).join();
      CompletableFuture<Lease> waiting =
          scene.engine.acquireAsync("y", MUTEX, ofSeconds(9).toNanos());
      scene.faults.setAll(Manner.IGNORES);
      scene.advance(ofSeconds(9).plus(OPERATION_TIMEOUT).minusNanos(1));
      assertThat(waiting).isNotDone();
      scene.advance(Duration.ofNanos(1));
      assertThat(waiting).isDone();
      assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoreException.class);
      assertThat(theirs.isValid()).isTrue();
    }

    @Test
    void a_store_that_confirms_that_we_are_out_of_the_queue_is_busy_whatever_it_left_unanswered() {
      Lease theirs = hasty.acquireAsync("y", MUTEX, Request.FOR_EVER).join();
      CompletableFuture<Lease> waiting =
          scene.engine.acquireAsync("y", MUTEX, ofSeconds(9).toNanos());
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(9));
      assertThat(waiting).isNotDone();
      scene.advance(OPERATION_TIMEOUT.dividedBy(2));
      assertThat(waiting).isCompletedWithValue(null);
      assertThat(hasty.inspect("y").waiters()).isEmpty();
      assertThat(theirs.isValid()).isTrue();
    }
  }

  @Test
  void a_lock_is_not_busy_by_the_word_of_a_claim_that_may_be_gone() {
    LockSpec brief = LockSpec.mutex(OPTIONS.ttl(ofSeconds(1)));
    Lease theirs = scene.otherClient().acquireAsync("z", brief, Request.FOR_EVER).join();
    scene.request("z", brief);
    scene.faults.setAll(Manner.IGNORES);
    scene.advance(ofSeconds(2));

    assertThat(scene.engine.acquireAsync("z", brief, 0)).isNotDone();
    assertThat(theirs.isValid()).isTrue();
  }

  @Nested
  class Joining {

    @Test
    void no_answer_is_unknown_after_the_operation_time_out() {
      scene.faults.set(Verb.JOIN, Manner.IGNORES);
      CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
      scene.advance(OPERATION_TIMEOUT.minusNanos(1));
      assertThat(waiting).isNotDone();
      scene.advance(Duration.ofNanos(1));
      assertThatThrownBy(waiting::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              StoreException.class, unknown -> assertThat(unknown.lockName()).isEqualTo("x"))
          .hasMessage(
              "No answer from memory: to a request for 'x': it may or may not have taken effect"
                  + " (no answer within 5 s).");
      assertThat(scene.engine.names()).isZero();
    }

    @Test
    void no_answer_is_never_busy_for_a_try() {
      scene.faults.set(Verb.JOIN, Manner.IGNORES);
      CompletableFuture<Lease> trying = scene.engine.acquireAsync("x", MUTEX, 0);
      CompletableFuture<Lease> patient =
          scene.engine.acquireAsync("y", MUTEX, ofSeconds(1).toNanos());
      scene.advance(OPERATION_TIMEOUT);
      for (CompletableFuture<Lease> each : List.of(trying, patient)) {
        assertThatThrownBy(each::join).hasCauseInstanceOf(StoreException.class);
      }
    }

    @ParameterizedTest
    @EnumSource(
        value = Manner.class,
        names = {"FAILS", "THROWS"})
    void a_store_that_fails_or_throws_at_once_is_unknown_at_once(Manner manner) {
      scene.faults.set(Verb.JOIN, manner);
      assertThatThrownBy(() -> scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true))
          .isInstanceOf(StoreException.class);
      assertThatThrownBy(() -> scene.engine.acquire("x", MUTEX, 0, true))
          .isInstanceOf(StoreException.class);
      scene.faults.set(Verb.JOIN, Manner.ANSWERS);
      assertThatCode(() -> scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true))
          .doesNotThrowAnyException();
    }

    @Test
    void a_store_that_returns_nothing_or_throws_an_error_is_unknown_at_once() {
      try (Scene odd = Scene.on(Odd::new)) {
        for (String name : List.of("null", "error")) {
          assertThatThrownBy(() -> odd.engine.acquire(name, MUTEX, Request.FOR_EVER, true))
              .isInstanceOf(StoreException.class);
        }
        assertThat(odd.engine.names()).isZero();
        assertThat(odd.request("fine", MUTEX)).isCompleted();
      }
    }

    @Test
    void the_cause_of_a_failure_is_kept_with_the_place_where_the_caller_waited() {
      scene.faults.set(Verb.JOIN, Manner.THROWS);
      assertThatThrownBy(() -> scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true))
          .hasMessageContaining("(the store's client is broken)")
          .hasCauseInstanceOf(IllegalStateException.class)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }

    @Test
    void every_waiter_of_the_client_is_notified() {
      scene.faults.set(Verb.JOIN, Manner.IGNORES);
      List<CompletableFuture<Lease>> all =
          List.of(
              scene.request("x", MUTEX),
              scene.request("x", MUTEX),
              scene.engine.acquireAsync("x", MUTEX, 0));
      scene.advance(OPERATION_TIMEOUT);
      assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
      assertThat(scene.store.joins).hasSize(1);
    }

    @Test
    void the_claim_gets_a_tombstone_so_that_a_late_join_cannot_hold_the_lock() {
      scene.faults.set(Verb.JOIN, Manner.LOSES_THE_ANSWER);
      CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.advance(OPERATION_TIMEOUT);
      assertThat(waiting).isCompletedExceptionally();
      assertThat(scene.store.departures).hasSize(1).allMatch(Departure::tombstone);
      assertThat(next).isCompleted();
    }

    @Test
    void an_answer_that_comes_too_late_is_nobodys_grant() {
      scene.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
      CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
      scene.advance(OPERATION_TIMEOUT);
      scene.faults.answer();
      assertThat(waiting).isCompletedExceptionally();
      assertThat(scene.engine.inspect("x").isHeld()).isFalse();
      assertThat(scene.engine.names()).isZero();
    }

    @Test
    void a_validity_shorter_than_the_operation_time_out_bounds_the_join() {
      LockSpec brief = LockSpec.mutex(OPTIONS.ttl(ofSeconds(2))); // valid for 1.5 s
      scene.faults.set(Verb.JOIN, Manner.IGNORES);
      CompletableFuture<Lease> waiting = scene.request("x", brief);
      scene.advance(Duration.ofMillis(1_500));
      assertThat(waiting).isCompletedExceptionally();
    }

    @Test
    void a_blocked_thread_is_notified_too() throws Exception {
      scene.faults.set(Verb.JOIN, Manner.IGNORES);
      Background<EngineLease> waiting =
          Background.start(() -> scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true))
              .awaitWaiting();
      scene.advance(OPERATION_TIMEOUT);
      assertThatThrownBy(waiting::get).isInstanceOf(StoreException.class);
    }
  }

  private static final class Odd extends ForwardingStore {
    Odd(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return switch (claim.lock()) {
        case "null" -> null;
        case "error" -> throw new NoClassDefFoundError("a driver is missing");
        default -> super.join(claim, wait, deadline);
      };
    }
  }

  @Nested
  class Leaving {

    @Test
    void release_tells_that_it_is_unknown_and_the_leave_is_repeated_in_the_background() {
      Lease lease = scene.request("x", MUTEX).join();
      scene.faults.set(Verb.LEAVE, Manner.FAILS);
      assertThatThrownBy(lease::release)
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "No answer from memory: to the release of 'x': it may or may not have taken effect"
                  + " (the store is broken).");
      scene.advance(ofSeconds(3));
      assertThat(scene.store.leaves.get()).isGreaterThan(3);
      scene.faults.set(Verb.LEAVE, Manner.ANSWERS);
      scene.advance(ofSeconds(2));
      assertThat(scene.engine.inspect("x").isHeld()).isFalse();
      int before = scene.store.leaves.get();
      scene.advance(Duration.ofHours(1));
      assertThat(scene.store.leaves).hasValue(before);
    }

    @Test
    void the_repetition_ends_when_the_claim_must_have_died_by_itself() {
      Lease lease = scene.request("x", MUTEX).join();
      scene.faults.set(Verb.LEAVE, Manner.THROWS);
      lease.close();
      scene.advance(OPTIONS.ttl().multipliedBy(2).plusSeconds(2));
      int before = scene.store.leaves.get();
      scene.advance(Duration.ofHours(1));
      assertThat(scene.store.leaves).hasValue(before);
      assertThat(scene.ticker.tasks()).isZero();
    }

    @Test
    void close_does_not_throw_for_a_silent_store_and_logs_it() {
      try (Logs.Recording logs = Logs.record()) {
        Lease lease = scene.request("x", MUTEX).join();
        scene.faults.set(Verb.LEAVE, Manner.FAILS);
        assertThatCode(lease::close).doesNotThrowAnyException();
        assertThat(logs.atLeast(Level.WARNING))
            .containsExactly(
                "No answer from memory: to the release of 'x': it may or may not have taken"
                    + " effect (the store is broken).");
      }
    }

    @Test
    void close_does_not_throw_for_a_lost_lease_and_logs_it() {
      Lease lease = scene.request("x", MUTEX).join();
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      try (Logs.Recording logs = Logs.record()) {
        assertThatCode(lease::close).doesNotThrowAnyException();
        assertThat(logs.atLeast(Level.WARNING))
            .containsExactly(
                "Lease on 'x' (token " + lease.token() + ") is lost: the store has ended it");
      }
    }

    @Test
    void release_tells_whether_the_lock_was_ours() {
      assertThat(scene.request("x", MUTEX).join().release()).isTrue();
      Lease evicted = scene.request("x", MUTEX).join();
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      assertThat(evicted.release()).isFalse();
    }

    @Test
    void a_release_that_hangs_does_not_hold_up_the_waiters_of_its_client() {
      Lease lease = scene.request("x", LockSpec.mutex(OPTIONS.handOff(false))).join();
      CompletableFuture<Lease> next = scene.request("x", MUTEX);
      scene.faults.set(Verb.LEAVE, Manner.LOSES_THE_ANSWER);
      CompletableFuture<Boolean> releasing = lease.releaseAsync();
      assertThat(releasing).isNotDone();
      assertThat(next).isCompleted();
      scene.advance(OPERATION_TIMEOUT);
      assertThat(releasing).isCompletedExceptionally();
    }
  }

  @Nested
  class Asking {

    @Test
    void a_question_without_answer_is_unknown_after_the_operation_time_out() throws Exception {
      scene.faults.set(Verb.INSPECT, Manner.IGNORES);
      Background<?> asking = Background.start(() -> scene.engine.inspect("x")).awaitWaiting();
      scene.advance(OPERATION_TIMEOUT);
      assertThatThrownBy(asking::get)
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("No answer from memory: to the inspection of 'x'");
    }

    @Test
    void an_interrupt_does_not_end_the_question_and_the_flag_is_kept() throws Exception {
      scene.faults.set(Verb.INSPECT, Manner.ANSWERS_LATE);
      Background<Boolean> asking =
          Background.start(
                  () -> {
                    scene.engine.inspect("x");
                    return Thread.currentThread().isInterrupted();
                  })
              .awaitWaiting();
      asking.interrupt();
      scene.faults.answer();
      assertThat(asking.get()).isTrue();
    }

    @Test
    void a_time_out_does_not_wait_long_for_the_name_of_the_holder() throws Exception {
      scene.request("x", MUTEX).join();
      scene.faults.set(Verb.INSPECT, Manner.IGNORES);
      DistributedLock lock = scene.locks.mutex("x", OPTIONS);
      CompletableFuture<Lease> waiting = lock.acquireAsync(ofSeconds(1));
      Background<Lease> blocked = Background.start(() -> lock.acquire(ofSeconds(1))).awaitWaiting();
      scene.advance(ofSeconds(1));
      assertThat(waiting).isNotDone();
      scene.advance(ofSeconds(1));
      assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockTimeoutException.class);
      blocked.awaitWaiting();
      scene.advance(ofSeconds(1));
      assertThatThrownBy(blocked::get).isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void a_time_out_that_cannot_name_the_holder_is_still_a_time_out() {
      scene.request("x", MUTEX).join();
      scene.faults.set(Verb.INSPECT, Manner.FAILS);
      CompletableFuture<Lease> waiting =
          scene.locks.mutex("x", OPTIONS).acquireAsync(Duration.ofMillis(1_500));
      scene.advance(Duration.ofMillis(1_500));
      assertThatThrownBy(waiting::join)
          .hasRootCauseMessage(
              "Gave up on 'x' after 1500 ms: the store does not report the holder.");
    }
  }

  @Nested
  class Observing {

    /** A hint is all that observe gives; a store that cannot give it may still grant. */
    private static final class Blind extends ForwardingStore {
      private final AtomicInteger failures = new AtomicInteger(1);

      Blind(LockStore inner) {
        super(inner);
      }

      @Override
      public Registration observe(String lock, Runnable wake) {
        if (failures.getAndDecrement() > 0) {
          throw new IllegalStateException("cannot subscribe");
        }
        return super.observe(lock, wake);
      }
    }

    @Test
    void a_store_that_throws_when_it_is_observed_answers_the_request_all_the_same() {
      try (Scene blind = Scene.on(Blind::new)) {
        assertThat(blind.request("x", MUTEX)).isDone();
      }
    }

    @Test
    void a_store_that_throws_when_it_is_observed_does_not_block_the_name_for_ever() {
      try (Scene blind = Scene.on(Blind::new)) {
        var unused = catchThrowable(() -> blind.request("x", MUTEX));
        CompletableFuture<Lease> next =
            blind.engine.acquireAsync("x", MUTEX, ofSeconds(60).toNanos());
        blind.advance(ofSeconds(59));
        assertThat(next).isDone();
      }
    }
  }
}
