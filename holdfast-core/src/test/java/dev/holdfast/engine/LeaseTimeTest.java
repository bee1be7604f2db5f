package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** ttl 30 s: renewed every 10 s, valid for 22.5 s, margin 7.5 s, in jeopardy after 15 s. */
class LeaseTimeTest {

  private static final Duration VALID = OPTIONS.validFor();

  private final Scene scene = Scene.plain();
  private final AtomicInteger losses = new AtomicInteger();

  @AfterEach
  void close() {
    scene.close();
  }

  private Lease acquire() {
    Lease lease = scene.request("x", MUTEX).join();
    lease.onLost(losses::incrementAndGet);
    return lease;
  }

  @Nested
  class Deadline {

    @Test
    void validity_counts_from_before_the_request_was_sent() {
      scene.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
      CompletableFuture<Lease> lease = scene.request("x", MUTEX);
      scene.advance(ofSeconds(2));
      scene.faults.answer();
      assertThat(lease.join().remaining()).isEqualTo(VALID.minusSeconds(2));
    }

    @Test
    void the_loss_is_reported_at_the_deadline_even_while_a_renewal_hangs() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(VALID.minusNanos(1));
      assertThat(lease.isValid()).isTrue();
      assertThat(losses).hasValue(0);
      scene.advance(Duration.ofNanos(1));
      assertThat(lease.isValid()).isFalse();
      assertThat(lease.remaining()).isZero();
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(losses).hasValue(1);
    }

    @Test
    void the_loss_comes_before_the_store_grants_the_next_one() {
      Lease lease = acquire();
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(VALID);
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(next).isNotDone();
      scene.advance(OPTIONS.ttl().minus(VALID));
      assertThat(next).isCompleted();
      assertThat(next.join().token()).isGreaterThan(lease.token());
    }

    @Test
    void an_answer_that_comes_after_the_deadline_revives_nothing() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(VALID);
      scene.faults.answer();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.advance(ofSeconds(1));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(losses).hasValue(1);
    }

    @Test
    void a_loss_found_by_the_store_is_reported_at_the_next_renewal() {
      Lease lease = acquire();
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      assertThat(lease.isValid()).isTrue(); // nobody has told us yet
      scene.advance(ofSeconds(10));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(losses).hasValue(1);
    }

    @Test
    void a_lost_lease_that_is_closed_frees_the_lock_earlier() {
      Lease lease = acquire();
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(VALID);
      assertThat(lease.release()).isFalse();
      assertThat(next).isCompleted();
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void an_action_for_the_loss_runs_at_once_if_it_has_come() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(VALID);
      lease.onLost(losses::incrementAndGet);
      assertThat(losses).hasValue(2);
    }

    @Test
    void an_action_that_was_taken_back_or_whose_lease_was_released_never_runs() {
      Lease lease = acquire();
      Registration second = lease.onLost(losses::incrementAndGet);
      second.close();
      second.close();
      lease.close();
      lease.onLost(losses::incrementAndGet);
      scene.advance(Duration.ofHours(1));
      assertThat(losses).hasValue(0);
    }
  }

  @Nested
  class Renewal {

    @Test
    void a_lease_lives_as_long_as_its_holder_wants() {
      Lease lease = acquire();
      scene.advance(Duration.ofHours(2));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      assertThat(scene.store.refreshes).hasSize(720);
      assertThat(lease.release()).isTrue();
    }

    @Test
    void a_renewal_that_fails_is_repeated_until_the_deadline() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.FAILS);
      scene.advance(ofSeconds(20));
      assertThat(scene.store.refreshes).hasSizeGreaterThan(5);
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.advance(ofSeconds(5));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      scene.advance(Duration.ofHours(1));
      assertThat(lease.isValid()).isTrue();
    }

    @Test
    void a_renewal_that_hangs_does_not_keep_the_next_one_from_being_sent() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(10));
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.advance(ofSeconds(20));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void renewal_ends_with_the_lease() {
      acquire().close();
      scene.advance(Duration.ofHours(1));
      assertThat(scene.store.refreshes).isEmpty();
    }

    @Test
    void a_renewal_that_is_on_its_way_when_the_lease_is_closed_changes_nothing() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(ofSeconds(10));
      assertThat(lease.release()).isTrue();
      scene.faults.answer();
      assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
      assertThat(scene.engine.inspect("x").isHeld()).isFalse();
      scene.advance(Duration.ofHours(1));
      assertThat(scene.store.refreshes).hasSize(1);
    }

    @Test
    void jeopardy_is_seen_when_a_renewal_is_overdue_and_passes_with_the_next_answer() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.FAILS);
      scene.advance(ofSeconds(15));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      scene.advance(Duration.ofMillis(1));
      assertThat(lease.state()).isEqualTo(LeaseState.JEOPARDY);
      assertThat(lease.isValid()).isTrue();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.advance(ofSeconds(3));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      assertThat(losses).hasValue(0);
    }
  }

  @Nested
  class WallClock {

    @Test
    void time_that_ran_ahead_by_more_than_the_margin_means_lost() {
      Lease lease = acquire();
      scene.ticker.jumpWall(ofSeconds(8)); // the machine slept
      assertThat(lease.isValid()).isFalse();
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      scene.advance(ofSeconds(10));
      assertThat(losses).hasValue(1);
      scene.advance(ofSeconds(60));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void time_that_ran_ahead_by_less_is_forgiven() {
      Lease lease = acquire();
      scene.ticker.jumpWall(ofSeconds(7));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      scene.advance(Duration.ofMinutes(5));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void time_that_stepped_back_changes_nothing() {
      Lease lease = acquire();
      scene.ticker.jumpWall(Duration.ofDays(-1));
      assertThat(lease.remaining()).isEqualTo(VALID);
      scene.advance(Duration.ofMinutes(5));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void what_was_seen_lost_stays_lost_when_the_clock_is_set_back() {
      Lease lease = acquire();
      scene.ticker.jumpWall(ofSeconds(8));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      scene.ticker.jumpWall(ofSeconds(-8));
      assertThat(lease.state()).as("LOST is final").isEqualTo(LeaseState.LOST);
    }
  }

  @Nested
  class AskedFor {

    @Test
    void renew_confirms_now() {
      Lease lease = acquire();
      scene.advance(ofSeconds(7));
      assertThat(lease.remaining()).isEqualTo(VALID.minusSeconds(7));
      lease.renew();
      assertThat(lease.remaining()).isEqualTo(VALID);
    }

    @Test
    void ensure_asks_the_store_only_when_too_little_is_left() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(16)); // overdue: 6.5 s of validity are left
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      int before = scene.store.refreshes.size();
      lease.ensure(ofSeconds(6));
      assertThat(scene.store.refreshes).hasSize(before);
      lease.ensure(ofSeconds(7));
      assertThat(scene.store.refreshes).hasSize(before + 1);
    }

    @Test
    void ensure_refuses_what_no_renewal_could_give_with_both_values() {
      Lease lease = acquire();
      assertThatThrownBy(() -> lease.ensure(ofSeconds(13)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "a healthy lease on 'x' is valid for PT12.5S (validFor - renewEvery) at any time;"
                  + " PT13S is more than it can promise");
    }

    @Test
    void a_lease_that_the_store_has_ended_says_so_when_it_is_renewed() {
      Lease lease = acquire();
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
      assertThat(losses).hasValue(1);
    }

    @Test
    void a_lost_lease_tells_since_when_and_what_to_do() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(VALID.plusMillis(1200));
      assertThatThrownBy(() -> lease.ensure(ofSeconds(1)))
          .isInstanceOfSatisfying(
              LeaseLostException.class,
              lost -> {
                assertThat(lost.lockName()).isEqualTo("x");
                assertThat(lost.token()).isEqualTo(lease.token());
              })
          .hasMessageStartingWith("Lease on 'x' (token " + lease.token() + ") ended 1200 ms ago: ")
          .hasMessageEndingWith(
              ": another holder may be running. Stop writing, then acquire again.");
    }

    @Test
    void no_answer_to_a_renewal_is_unknown_and_the_lease_stands() {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.FAILS);
      assertThatThrownBy(lease::renew)
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith(
              "No answer from memory: to the renewal of 'x': it may or may not");
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void a_renewal_without_any_answer_is_unknown_after_the_operation_time_out() throws Exception {
      Lease lease = acquire();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      Background<Void> renewing =
          Background.start(
                  () -> {
                    lease.renew();
                    return (Void) null;
                  })
              .awaitWaiting();
      scene.advance(Scene.OPERATION_TIMEOUT);
      assertThatThrownBy(renewing::get).isInstanceOf(StoreException.class);
      assertThat(lease.isValid()).isTrue();
    }

    @Test
    void a_released_lease_says_that_it_was_released() {
      Lease lease = acquire();
      lease.close();
      assertThatThrownBy(lease::renew)
          .isInstanceOf(LeaseLostException.class)
          .hasMessageContaining("was released");
    }

    @Test
    void an_inner_lease_that_was_closed_says_that_it_was_released() throws Exception {
      Lease outer = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
      Lease inner = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
      inner.close();
      assertThat(inner.state()).isEqualTo(LeaseState.RELEASED);
      assertThat(outer.state()).isEqualTo(LeaseState.HELD);
      assertThatThrownBy(inner::renew)
          .isInstanceOf(LeaseLostException.class)
          .hasMessageContaining("was released");
      outer.close();
    }
  }
}
