package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.testkit.rules.Rules;
import org.junit.jupiter.api.Test;

/** The first in the queue says what the lock is; only an empty lock can become something else. */
public abstract class MismatchRules extends Rules {

  @Test
  void a_claim_of_another_kind_learns_what_the_lock_is_used_as() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          a.granted(scene().mutex(lock));

          Mismatch expected = new Mismatch(Kind.MUTEX, 1);
          assertThat(b.join(scene().reader(lock))).isEqualTo(expected);
          assertThat(b.queue(scene().writer(lock))).isEqualTo(expected);
        });
  }

  @Test
  void a_mutex_and_an_election_of_one_name_do_not_mix() throws Exception {
    whereKept(
        Kind.ELECTION,
        () -> {
          a.granted(scene().claim(lock, Kind.ELECTION, 1, 1, scene().lasting()));

          assertThat(b.queue(scene().mutex(lock))).isEqualTo(new Mismatch(Kind.ELECTION, 1));
        });
  }

  @Test
  void a_claim_with_another_capacity_learns_the_capacity() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          a.granted(scene().permits(lock, 1, 3));

          assertThat(b.join(scene().permits(lock, 1, 4)))
              .isEqualTo(new Mismatch(Kind.SEMAPHORE, 3));
        });
  }

  @Test
  void a_mismatched_claim_enters_nothing() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          Claim holder = scene().permits(lock, 2, 3);
          a.granted(holder);
          Claim other = scene().permits(lock, 1, 2);
          b.queue(other);

          assertThat(a.inspect(lock).waiters()).isEmpty();
          b.gone(other);
          a.left(holder);
          assertThat(a.inspect(lock).isHeld()).isFalse();
        });
  }

  @Test
  void an_empty_lock_can_become_something_else() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          Claim mutex = scene().mutex(lock);
          long token = a.granted(mutex).token();
          a.left(mutex);

          long next = b.granted(scene().permits(lock, 2, 3)).token();

          assertThat(next).isGreaterThan(token);
          assertThat(a.inspect(lock).kind()).isEqualTo(Kind.SEMAPHORE);
          assertThat(a.inspect(lock).capacity()).isEqualTo(3);
          a.granted(scene().permits(lock, 1, 3));
        });
  }
}
