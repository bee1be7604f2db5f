package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A floor that one claim brings holds for all later grants of its lock. */
public abstract class FloorRules extends Rules {

  private static final long HOUR = TimeUnit.HOURS.toMicros(1);

  @Test
  void a_token_is_greater_than_the_floor_that_the_client_brings() {
    Claim claim = scene().mutex(lock);
    long floor = a.granted(claim).token() + 1_000;
    a.left(claim);

    assertThat(a.granted(scene().mutex(lock).asking(0, floor)).token()).isGreaterThan(floor);
  }

  @Test
  void a_floor_that_a_holder_brings_holds_for_the_claims_of_others() throws Exception {
    whereRaised(
        () -> {
          Claim claim = scene().mutex(lock);
          Granted granted = a.granted(claim);
          long floor = granted.token() + HOUR;

          assertThat(a.holds(claim.asking(0, floor)).token()).isEqualTo(granted.token());
          a.left(claim);

          assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(floor);
        });
  }

  @Test
  void a_floor_that_is_raised_while_a_claim_waits_holds_for_it() throws Exception {
    whereRaised(
        () ->
            whereFair(
                () -> {
                  Claim holder = scene().mutex(lock);
                  Claim waiter = scene().mutex(lock);
                  long floor = a.granted(holder).token() + HOUR;
                  b.queued(waiter);

                  b.waits(waiter.asking(0, floor));
                  a.left(holder);

                  assertThat(b.holds(waiter).token()).isGreaterThan(floor);
                }));
  }

  /** The client that was shown the floor may die before its turn comes. */
  @Test
  void a_floor_outlives_the_waiting_claim_that_brought_it() throws Exception {
    whereRaised(
        () ->
            whereFair(
                () -> {
                  Claim holder = scene().mutex(lock);
                  Claim waiter = scene().mutex(lock);
                  long floor = a.granted(holder).token() + HOUR;

                  b.queued(waiter.asking(0, floor));
                  b.left(waiter);
                  a.left(holder);
                  Claim next = scene().mutex(lock);
                  long token = a.granted(next).token();
                  a.left(next);

                  assertThat(token).isGreaterThan(floor);
                  a.granted(holder = scene().mutex(lock));
                  b.queued(waiter = scene().mutex(lock));
                  b.waits(waiter.asking(0, token + HOUR));
                  b.left(waiter);
                  a.left(holder);
                  assertThat(a.granted(scene().mutex(lock)).token()).isGreaterThan(token + HOUR);
                }));
  }

  @Test
  void tokens_above_a_floor_rise_and_never_repeat_across_clients() throws Exception {
    whereRaised(
        () -> {
          long highest = a.granted(scene().mutex(scene().name())).token();
          for (long floor : new long[] {highest + HOUR, scene().traits().maxFloor()}) {
            long last = floor;
            for (int i = 0; i < 12; i++) {
              Client client = i % 2 == 0 ? a : b;
              Claim claim = scene().mutex(lock).asking(i % 3, i == 0 ? floor : 0);
              Granted granted = client.granted(claim);
              assertThat(granted.token()).isGreaterThan(last);
              last = Math.max(granted.token(), granted.spares().last());
              Tokens more = client.holds(claim.asking(2, 0)).spares();
              if (more.count() > 0) { // a store need not reserve any so far ahead of its clock
                assertThat(more.first()).isGreaterThan(last);
                last = more.last();
              }
              client.left(claim);
            }
            assertThat(scene().client().granted(scene().mutex(lock)).token()).isGreaterThan(last);
            lock = scene().name();
          }
        });
  }

  /** For stores whose tokens can be raised; those of any other must go their own way. */
  private void whereRaised(Body body) throws Exception {
    if (scene().traits().maxFloor() > 0) {
      body.run();
      return;
    }
    Claim claim = scene().mutex(lock);
    long floor = a.granted(claim).token() + HOUR;
    a.holds(claim.asking(0, floor));
    a.left(claim);
    assertThat(b.granted(scene().mutex(lock).asking(0, floor)).token())
        .as("tokens that are the store's own revisions cannot be raised")
        .isLessThan(floor);
  }
}
