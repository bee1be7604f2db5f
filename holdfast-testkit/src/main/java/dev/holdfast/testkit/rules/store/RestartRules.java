package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import org.junit.jupiter.api.Test;

/** A durable store has kept claims and tokens when it comes back. */
public abstract class RestartRules extends Rules {

  @Test
  void a_holder_still_holds_after_a_restart() throws Exception {
    whereDurable(
        () -> {
          Claim holder = scene().mutex(lock);
          long token = a.granted(holder).token();

          Client again = restarted();

          again.busy(scene().mutex(lock));
          assertThat(again.holds(holder).token()).isEqualTo(token);
          assertThat(again.leave(holder)).isEqualTo(Left.LEFT);
        });
  }

  @Test
  void waiters_keep_their_order_over_a_restart() throws Exception {
    whereDurable(
        () ->
            whereFair(
                () -> {
                  Claim holder = scene().mutex(lock);
                  Claim first = scene().mutex(lock);
                  Claim second = scene().mutex(lock);
                  a.granted(holder);
                  b.queued(first);
                  b.queued(second);

                  Client again = restarted();

                  assertThat(again.waits(first).position()).isEqualTo(1);
                  assertThat(again.waits(second).position()).isEqualTo(2);
                  again.left(holder);
                  again.holds(first);
                }));
  }

  @Test
  void tokens_rise_over_a_restart() throws Exception {
    whereDurable(
        () -> {
          Claim claim = scene().mutex(lock).asking(20, 0);
          Granted granted = a.granted(claim);
          a.left(claim);

          Client again = restarted();

          assertThat(again.granted(scene().mutex(lock)).token())
              .isGreaterThan(granted.spares().last());
        });
  }

  @Test
  void a_claim_that_left_before_a_restart_does_not_come_back() throws Exception {
    whereDurable(
        () -> {
          Claim claim = scene().mutex(lock);
          a.granted(claim);
          a.left(claim);

          Client again = restarted();

          again.gone(claim);
          assertThat(again.inspect(lock).isHeld()).isFalse();
        });
  }

  @Test
  void the_dead_of_before_a_restart_are_dead_after_it() throws Exception {
    whereDurable(
        () -> {
          Claim dead = scene().briefMutex(lock);
          a.granted(dead);

          Client again = restarted();

          Claim next = scene().mutex(lock);
          scene().eventually("the dead holder is replaced", () -> granted(again, next));
          again.gone(dead);
        });
  }

  private Client restarted() {
    scene().restart();
    return scene().client();
  }

  /** A store that is not durable may forget a claim over a restart; it must not mistake it. */
  private void whereDurable(Body body) throws Exception {
    if (scene().traits().durable()) {
      body.run();
      return;
    }
    Claim claim = scene().mutex(lock);
    long token = a.granted(claim).token();
    try {
      scene().restart();
    } catch (UnsupportedOperationException cannot) {
      assertThatThrownBy(() -> scene().fixture().restart())
          .isInstanceOf(UnsupportedOperationException.class);
      return;
    }
    Standing standing = scene().client().refresh(claim);
    assertThat(standing)
        .as("standing after a restart of a store that may forget")
        .satisfiesAnyOf(
            s -> assertThat(s).isEqualTo(Gone.GONE),
            s ->
                assertThat(s)
                    .isInstanceOfSatisfying(
                        Granted.class, granted -> assertThat(granted.token()).isEqualTo(token)));
  }
}
