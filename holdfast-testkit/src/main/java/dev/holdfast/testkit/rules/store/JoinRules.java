package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.rules.Rules;
import org.junit.jupiter.api.Test;

/** A join can be repeated, and one whose answer got lost can be taken back for good. */
public abstract class JoinRules extends Rules {

  /** Pitfall 10. */
  @Test
  void a_repeated_join_of_the_holder_gives_the_same_token_and_no_second_entry() {
    Claim claim = scene().mutex(lock);
    long token = a.granted(claim).token();

    assertThat(a.granted(claim).token()).isEqualTo(token);
    assertThat(((Granted) a.queue(claim)).token()).isEqualTo(token);

    assertThat(a.inspect(lock).holders()).hasSize(1);
    assertThat(a.inspect(lock).waiters()).isEmpty();
    a.left(claim);
    b.granted(scene().mutex(lock));
  }

  /** Pitfall 10. */
  @Test
  void a_repeated_join_of_a_waiter_keeps_its_place() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          Claim behind = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);
          b.queued(behind);

          assertThat(b.queued(waiter).position()).isEqualTo(1);

          assertThat(a.inspect(lock).waiters()).hasSize(2);
          a.left(holder);
          b.holds(waiter);
          b.left(waiter);
          b.holds(behind);
        });
  }

  @Test
  void a_repeated_join_of_a_waiter_reports_the_grant_once_its_turn_has_come() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);
          a.left(holder);

          long token = ((Granted) b.queue(waiter)).token();

          assertThat(b.holds(waiter).token()).isEqualTo(token);
        });
  }

  @Test
  void a_repeated_join_restarts_the_ttl_of_the_holder() {
    scene()
        .staysAlive(
            () -> {
              Claim claim = scene().briefMutex(scene().name());
              long token = a.granted(claim).token();
              return () -> a.join(claim) instanceof Granted granted && granted.token() == token;
            });
  }

  @Test
  void a_repeated_join_restarts_the_ttl_of_a_waiter() throws Exception {
    whereFair(
        () ->
            scene()
                .staysAlive(
                    () -> {
                      String name = scene().name();
                      Claim waiter = scene().briefMutex(name);
                      a.granted(scene().mutex(name));
                      b.queued(waiter);
                      b.queued(scene().mutex(name));
                      return () ->
                          b.queue(waiter) instanceof Queued queued && queued.position() == 1;
                    }));
  }

  /** Pitfall 10: the server may carry out a join after the leave that took it back. */
  @Test
  void a_join_that_arrives_after_its_tombstone_enters_nothing() {
    Claim late = scene().mutex(lock);
    assertThat(a.leave(Departure.withTombstone(late))).isEqualTo(Left.GONE);

    assertThat(a.join(late)).isInstanceOf(Busy.class);
    assertThat(a.queue(late)).isInstanceOf(Busy.class);

    a.gone(late);
    assertThat(a.inspect(lock).isHeld()).isFalse();
    assertThat(a.inspect(lock).waiters()).isEmpty();
  }

  @Test
  void a_tombstone_ends_a_claim_that_is_there_and_bars_its_join_afterwards() {
    Claim claim = scene().mutex(lock);
    a.granted(claim);

    assertThat(a.leave(Departure.withTombstone(claim))).isEqualTo(Left.LEFT);
    assertThat(a.leave(Departure.withTombstone(claim))).isEqualTo(Left.GONE);

    assertThat(a.queue(claim)).isInstanceOf(Busy.class);
    b.granted(scene().mutex(lock));
  }

  @Test
  void a_tombstone_bars_no_other_claim() {
    Claim withdrawn = scene().mutex(lock);
    a.leave(Departure.withTombstone(withdrawn));

    a.granted(scene().mutex(lock));
  }

  @Test
  void a_withdrawn_join_stays_out_while_others_come_and_go() throws Exception {
    whereFair(
        () -> {
          Claim withdrawn = scene().mutex(lock);
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          a.leave(Departure.withTombstone(withdrawn));
          b.queued(waiter);

          assertThat(a.queue(withdrawn)).isInstanceOf(Busy.class);
          a.left(holder);
          b.holds(waiter);
          assertThat(a.queue(withdrawn)).isInstanceOf(Busy.class);
          b.left(waiter);

          assertThat(a.queue(withdrawn)).isInstanceOf(Busy.class);
        });
  }
}
