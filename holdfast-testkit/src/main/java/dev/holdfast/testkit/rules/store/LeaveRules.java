package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Left;
import dev.holdfast.testkit.rules.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Release and giving up are one verb: it ends exactly the claim it names. */
public abstract class LeaveRules extends Rules {

  @Test
  void a_second_leave_learns_that_the_claim_is_gone() {
    Claim claim = scene().mutex(lock);
    a.granted(claim);

    assertThat(a.leave(claim)).isEqualTo(Left.LEFT);
    assertThat(a.leave(claim)).isEqualTo(Left.GONE);
  }

  /** Pitfall 7. */
  @Test
  void a_late_leave_leaves_the_next_holder_alone() {
    Claim late = scene().briefMutex(lock);
    a.granted(late);
    Claim next = scene().mutex(lock);
    scene().eventually("the dead holder is replaced", () -> granted(b, next));

    assertThat(a.leave(late)).isEqualTo(Left.GONE);

    b.holds(next);
    a.busy(scene().mutex(lock));
  }

  @Test
  void a_repeated_leave_leaves_the_next_holder_alone() {
    Claim first = scene().mutex(lock);
    Claim next = scene().mutex(lock);
    a.granted(first);
    a.left(first);
    b.granted(next);

    assertThat(a.leave(first)).isEqualTo(Left.GONE);

    b.holds(next);
  }

  @Test
  void one_call_takes_out_claims_of_several_locks_and_answers_for_each() {
    Claim one = scene().mutex(lock);
    Claim two = scene().mutex(scene().name());
    Claim never = scene().mutex(scene().name());
    a.granted(one);
    b.granted(two);

    assertThat(a.leaveAll(one, two, never))
        .containsOnlyKeys(one, two, never)
        .containsEntry(one, Left.LEFT)
        .containsEntry(two, Left.LEFT)
        .containsEntry(never, Left.GONE);
    assertThat(a.inspect(lock).isHeld()).isFalse();
    assertThat(a.inspect(two.lock()).isHeld()).isFalse();
  }

  @Test
  void an_empty_leave_is_answered_with_nothing() {
    assertThat(a.leaveAll()).isEmpty();
  }

  @Test
  void a_lingering_lock_stays_taken_until_the_linger_is_over() throws Exception {
    whereLingers(
        () -> {
          Claim claim = scene().mutex(lock);
          long token = a.granted(claim).token();
          long sent = scene().nanoTime();

          assertThat(a.linger(claim, scene().brief())).isEqualTo(Left.LEFT);

          a.gone(claim);
          assertThat(a.leave(claim)).isEqualTo(Left.GONE);
          Claim next = scene().mutex(lock);
          scene().eventually("the linger ends", () -> granted(b, next));
          assertThat(Duration.ofNanos(scene().nanoTime() - sent))
              .as("time until the lingering lock was free")
              .isGreaterThanOrEqualTo(scene().brief().minus(Rules.CLOCK_TOLERANCE));
          assertThat(b.holds(next).token()).isGreaterThan(token);
        });
  }

  @Test
  void a_lingering_lock_is_granted_to_the_waiters_when_the_linger_is_over() throws Exception {
    whereLingers(
        () ->
            whereFair(
                () -> {
                  Claim claim = scene().mutex(lock);
                  Claim waiter = scene().mutex(lock);
                  a.granted(claim);
                  b.queued(waiter);

                  a.linger(claim, scene().brief());

                  scene().eventually("the waiter is granted", () -> b.isGranted(waiter));
                }));
  }

  @Test
  void a_waiter_that_leaves_with_a_linger_is_out_at_once() throws Exception {
    whereLingers(
        () ->
            whereFair(
                () -> {
                  Claim holder = scene().mutex(lock);
                  Claim waiter = scene().mutex(lock);
                  a.granted(holder);
                  b.queued(waiter);

                  assertThat(b.linger(waiter, scene().lasting())).isEqualTo(Left.LEFT);

                  assertThat(a.inspect(lock).waiters()).isEmpty();
                  a.left(holder);
                  b.granted(scene().mutex(lock));
                }));
  }
}
