package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.rules.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A refresh reports how a claim stands and restarts its ttl; it never revives one. */
public abstract class RefreshRules extends Rules {

  @Test
  void each_claim_of_a_batch_is_answered_for_itself() {
    Claim held = scene().mutex(lock);
    Claim left = scene().mutex(scene().name());
    Claim other = scene().mutex(scene().name());
    Claim never = scene().mutex(scene().name());
    long token = a.granted(held).token();
    a.granted(left);
    long otherToken = a.granted(other).token();
    a.left(left);

    Map<Claim, Standing> answers = a.refresh(List.of(left, held, never, other));

    assertThat(answers)
        .containsOnlyKeys(held, left, never, other)
        .containsEntry(left, Gone.GONE)
        .containsEntry(never, Gone.GONE);
    assertThat(answers.get(held))
        .isInstanceOfSatisfying(
            Granted.class, granted -> assertThat(granted.token()).isEqualTo(token));
    assertThat(answers.get(other))
        .isInstanceOfSatisfying(
            Granted.class, granted -> assertThat(granted.token()).isEqualTo(otherToken));
  }

  @Test
  void waiters_and_holders_can_share_a_batch() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          a.queued(waiter);

          Map<Claim, Standing> answers = a.refresh(List.of(waiter, holder));

          assertThat(answers).containsOnlyKeys(holder, waiter);
          assertThat(answers.get(holder)).isInstanceOf(Granted.class);
          assertThat(answers).containsEntry(waiter, new Queued(1));
        });
  }

  @Test
  void an_empty_batch_is_answered_with_nothing() {
    assertThat(a.refresh(List.of())).isEmpty();
  }

  @Test
  void a_batch_of_hundreds_is_answered_for_all() {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Claim claim = scene().mutex(scene().name());
      a.granted(claim);
      claims.add(claim);
    }

    Map<Claim, Standing> answers = a.refresh(claims);

    assertThat(answers).hasSize(300);
    assertThat(answers.values()).allMatch(Granted.class::isInstance);
  }

  @Test
  void a_refresh_keeps_the_token() {
    Claim claim = scene().mutex(lock);
    long token = a.granted(claim).token();

    assertThat(a.holds(claim).token()).isEqualTo(token);
    assertThat(a.holds(claim).token()).isEqualTo(token);
  }

  @Test
  void a_holder_lives_as_long_as_it_is_refreshed() {
    scene()
        .staysAlive(
            () -> {
              Claim claim = scene().briefMutex(scene().name());
              long token = a.granted(claim).token();
              return () -> a.refresh(claim) instanceof Granted granted && granted.token() == token;
            });
  }

  /** Pitfall 4. */
  @Test
  void an_expired_holder_is_gone_and_stays_gone() {
    Claim dead = scene().briefMutex(lock);
    a.granted(dead);
    scene().eventually("the holder expires", () -> !b.inspect(lock).isHeld());

    a.gone(dead);

    assertThat(a.inspect(lock).isHeld()).isFalse();
    b.granted(scene().mutex(lock));
    a.gone(dead);
  }

  /** Pitfall 4. */
  @Test
  void an_expired_waiter_is_gone_and_stays_gone() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim dead = scene().briefMutex(lock);
          a.granted(holder);
          b.queued(dead);
          scene().keep(a, holder);
          scene().eventually("the waiter expires", () -> a.inspect(lock).waiters().isEmpty());

          b.gone(dead);
          a.left(holder);

          b.gone(dead);
          assertThat(a.inspect(lock).isHeld()).isFalse();
        });
  }

  @Test
  void a_claim_that_left_is_gone_and_stays_gone() {
    Claim claim = scene().mutex(lock);
    a.granted(claim);
    a.left(claim);

    a.gone(claim);
    a.gone(claim);

    assertThat(a.inspect(lock).isHeld()).isFalse();
  }

  @Test
  void a_refresh_publishes_a_changed_value() {
    Claim claim = scene().mutex(lock);
    a.granted(claim.publishing("first"));
    assertThat(b.inspect(lock).holders().get(0).value()).isEqualTo("first");

    a.holds(claim.publishing("second ☂ '\"\\"));
    assertThat(b.inspect(lock).holders().get(0).value()).isEqualTo("second ☂ '\"\\");

    a.holds(claim.publishing(null));
    assertThat(b.inspect(lock).holders().get(0).value()).isNull();
  }

  @Test
  void a_value_of_the_greatest_length_is_kept_whole() {
    String value = "v".repeat(Claim.MAX_VALUE_BYTES);
    a.granted(scene().mutex(lock).publishing(value));

    assertThat(b.inspect(lock).holders().get(0).value()).isEqualTo(value);
  }
}
