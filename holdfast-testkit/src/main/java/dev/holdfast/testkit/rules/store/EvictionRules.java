package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.testkit.rules.Rules;
import org.junit.jupiter.api.Test;

/** An operator evicts the holder of a lock. */
public abstract class EvictionRules extends Rules {

  @Test
  void a_free_lock_has_nobody_to_evict() {
    assertThat(a.evict(lock)).isFalse();
  }

  @Test
  void an_evicted_holder_is_gone_for_every_verb() {
    Claim holder = scene().mutex(lock);
    a.granted(holder);

    assertThat(b.evict(lock)).isTrue();

    a.gone(holder);
    assertThat(a.leave(holder)).isEqualTo(Left.GONE);
    assertThat(b.inspect(lock).isHeld()).isFalse();
    assertThat(b.evict(lock)).isFalse();
  }

  @Test
  void an_eviction_grants_the_next_in_line() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          Claim behind = scene().mutex(lock);
          long token = a.granted(holder).token();
          b.queued(waiter);
          b.queued(behind);

          assertThat(b.evict(lock)).isTrue();

          assertThat(b.holds(waiter).token()).isGreaterThan(token);
          b.waits(behind);
          a.gone(holder);
        });
  }

  @Test
  void an_eviction_ends_all_holders() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          Claim one = scene().reader(lock);
          Claim two = scene().reader(lock);
          a.granted(one);
          b.granted(two);

          assertThat(a.evict(lock)).isTrue();

          a.gone(one);
          b.gone(two);
          a.granted(scene().writer(lock));
        });
  }

  @Test
  void an_eviction_by_token_ends_the_holder_that_has_it_and_nobody_else() {
    Claim holder = scene().mutex(lock);
    long token = a.granted(holder).token();

    assertThat(b.evict(lock, token - 1)).as("an older token").isFalse();
    a.holds(holder);
    assertThat(b.evict(lock, token)).isTrue();
    a.gone(holder);

    Claim next = scene().mutex(lock);
    b.granted(next);
    assertThat(a.evict(lock, token)).as("the token of the holder before").isFalse();
    b.holds(next);
  }

  @Test
  void a_token_that_was_reserved_for_a_mutex_names_its_claim() {
    Claim holder = scene().mutex(lock).asking(3, 0);
    Granted granted = a.granted(holder);

    assertThat(b.evict(lock, granted.spares().last() + 5_000)).as("a token never given").isFalse();
    a.holds(holder);
    assertThat(b.evict(lock, granted.spares().last())).isEqualTo(granted.spares().count() > 0);
  }

  @Test
  void an_eviction_by_token_ends_one_of_several_holders() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          Claim one = scene().reader(lock);
          Claim two = scene().reader(lock);
          long token = a.granted(one).token();
          b.granted(two);

          assertThat(b.evict(lock, token)).isTrue();

          a.gone(one);
          b.holds(two);
        });
  }

  @Test
  void an_eviction_by_token_promotes_the_next_in_line() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          long token = a.granted(holder).token();
          b.queued(waiter);

          assertThat(b.evict(lock, token)).isTrue();

          assertThat(b.holds(waiter).token()).isGreaterThan(token);
        });
  }

  @Test
  void an_eviction_leaves_other_locks_alone() {
    Claim other = scene().mutex(scene().name());
    a.granted(scene().mutex(lock));
    a.granted(other);

    b.evict(lock);

    a.holds(other);
  }
}
