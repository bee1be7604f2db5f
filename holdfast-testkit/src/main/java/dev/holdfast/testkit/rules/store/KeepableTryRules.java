package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Queued;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A try that meets a claim that may be idle waits for what its owner does about it. */
public abstract class KeepableTryRules extends WantedRules {

  @Test
  void a_try_queues_behind_a_lone_keepable_claim() throws Exception {
    whereTold(
        () -> {
          AtomicInteger hints = observe(a);
          Claim holder = keepable(lock);
          Claim wanting = scene().mutex(lock);
          long token = a.granted(holder).token();
          int before = settled(hints);

          assertThat(b.join(wanting)).isEqualTo(new Queued(1, true));

          assertThat(b.waits(wanting)).isEqualTo(new Queued(1, true));
          assertThat(b.join(wanting)).as("repeated").isEqualTo(new Queued(1, true));
          scene().eventually("the hint arrives at the holder", () -> hints.get() > before);
          a.left(holder);
          assertThat(b.holds(wanting).token()).isGreaterThan(token);
        });
  }

  @Test
  void a_try_learns_that_the_owner_works() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim wanting = scene().mutex(lock);
          a.granted(holder);
          assertThat(b.join(wanting)).isEqualTo(new Queued(1, true));

          assertThat(a.holds(holder.keepable(false)).wanted()).isTrue();

          assertThat(b.waits(wanting)).isEqualTo(new Queued(1, false));
        });
  }

  @Test
  void a_try_that_gives_up_leaves_nothing_behind() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim wanting = scene().mutex(lock);
          a.granted(holder);
          assertThat(b.join(wanting)).isEqualTo(new Queued(1, true));

          b.left(wanting);

          assertThat(b.inspect(lock).waiters()).isEmpty();
          assertThat(a.holds(holder).wanted()).isFalse();
          assertThat(b.leave(wanting)).isEqualTo(Left.GONE);
        });
  }

  @Test
  void a_try_that_is_forgotten_ends_by_its_ttl() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim forgotten = scene().briefMutex(lock);
          a.granted(holder);
          assertThat(b.join(forgotten)).isInstanceOf(Queued.class);

          scene().eventually("the try is forgotten", () -> a.inspect(lock).waiters().isEmpty());

          b.gone(forgotten);
          assertThat(a.holds(holder).wanted()).isFalse();
        });
  }

  @Test
  void a_try_is_busy_where_another_claim_waits_already() throws Exception {
    whereTold(
        () -> {
          a.granted(keepable(lock));
          b.queued(scene().mutex(lock));

          b.busy(scene().mutex(lock));

          assertThat(b.inspect(lock).waiters()).hasSize(1);
        });
  }

  @Test
  void a_try_is_busy_behind_a_claim_that_is_not_keepable() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          a.granted(holder);
          assertThat(a.holds(holder.keepable(false)).wanted()).isFalse();

          b.busy(scene().mutex(lock));

          assertThat(b.inspect(lock).waiters()).isEmpty();
        });
  }

  @Test
  void a_try_is_busy_behind_a_claim_that_lingers() throws Exception {
    whereTold(
        () ->
            whereLingers(
                () -> {
                  Claim holder = keepable(lock);
                  a.granted(holder);
                  a.linger(holder, scene().lasting());

                  b.busy(scene().mutex(lock));

                  Claim waiter = scene().mutex(lock);
                  assertThat(b.queued(waiter).behindKeepable()).isFalse();
                  assertThat(b.waits(waiter).behindKeepable()).isFalse();
                }));
  }

  @Test
  void a_try_gets_the_lock_when_a_dead_client_has_kept_it_for_its_ttl() throws Exception {
    whereTold(
        () -> {
          Claim dead = scene().briefMutex(lock).keepable(true);
          long token = a.granted(dead).token();
          Claim wanting = scene().mutex(lock);
          JoinAnswer answer = b.join(wanting);

          if (answer instanceof Queued) {
            scene().eventually("the try is granted", () -> b.isGranted(wanting));
          }

          assertThat(b.holds(wanting).token()).isGreaterThan(token);
          a.gone(dead);
        });
  }

  @Test
  void readers_and_writers_that_try_queue_behind_a_keepable_writer() throws Exception {
    whereTold(
        () ->
            whereKept(
                Kind.READ_WRITE,
                () -> {
                  for (Claim wanting : new Claim[] {scene().reader(lock), scene().writer(lock)}) {
                    Claim writer = scene().writer(lock).keepable(true);
                    a.granted(writer);

                    assertThat(b.join(wanting)).isEqualTo(new Queued(1, true));

                    a.left(writer);
                    b.holds(wanting);
                    b.left(wanting);
                  }
                }));
  }
}
