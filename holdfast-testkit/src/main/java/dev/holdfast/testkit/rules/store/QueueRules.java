package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waiters form a queue, and a claim that leaves it makes room. */
public abstract class QueueRules extends Rules {

  @Test
  void claims_are_granted_in_the_order_of_their_arrival() throws Exception {
    whereFair(
        () -> {
          List<Claim> claims = new ArrayList<>(List.of(scene().mutex(lock)));
          a.granted(claims.get(0));
          for (int i = 1; i < 6; i++) {
            claims.add(scene().mutex(lock));
            assertThat(client(i).queued(claims.get(i)).position()).isEqualTo(i);
          }
          for (int i = 0; i < 5; i++) {
            client(i).left(claims.get(i));
            client(i + 1).holds(claims.get(i + 1));
            for (int behind = i + 2; behind < 6; behind++) {
              assertThat(client(behind).waits(claims.get(behind)).position())
                  .isEqualTo(behind - i - 1);
            }
          }
        });
  }

  @Test
  void a_waiter_is_granted_by_the_leave_of_the_holder() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          long earlier = a.granted(holder).token();
          b.queued(waiter);
          b.waits(waiter);

          a.left(holder);

          assertThat(b.holds(waiter).token()).isGreaterThan(earlier);
          a.busy(scene().mutex(lock));
        });
  }

  @Test
  void a_newcomer_does_not_overtake_the_waiters() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);

          a.left(holder);

          a.busy(scene().mutex(lock));
          b.holds(waiter);
        });
  }

  /** Pitfall 6. */
  @Test
  void a_waiter_that_gives_up_is_never_granted_and_the_next_one_is() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim quitter = scene().mutex(lock);
          Claim next = scene().mutex(lock);
          a.granted(holder);
          b.queued(quitter);
          b.queued(next);

          b.left(quitter);
          assertThat(b.waits(next).position()).isEqualTo(1);
          a.left(holder);

          b.holds(next);
          b.gone(quitter);
        });
  }

  /** Pitfall 6. */
  @Test
  void when_a_big_waiter_gives_up_a_small_one_behind_it_is_granted_at_once() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.SEMAPHORE,
                () -> {
                  Claim big = scene().permits(lock, 3, 3);
                  Claim small = scene().permits(lock, 1, 3);
                  Claim holder = scene().permits(lock, 2, 3);
                  a.granted(holder);
                  b.queued(big);
                  b.queued(small);
                  b.waits(small);

                  b.left(big);

                  b.holds(small);
                  a.holds(holder);
                }));
  }

  @Test
  void one_leave_grants_every_claim_that_fits() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.SEMAPHORE,
                () -> {
                  Claim holder = scene().permits(lock, 3, 3);
                  a.granted(holder);
                  List<Claim> waiters = new ArrayList<>();
                  for (int i = 0; i < 4; i++) {
                    waiters.add(scene().permits(lock, 1, 3));
                    b.queued(waiters.get(i));
                  }

                  a.left(holder);

                  b.holds(waiters.get(0));
                  b.holds(waiters.get(1));
                  b.holds(waiters.get(2));
                  assertThat(b.waits(waiters.get(3)).position()).isEqualTo(3);
                }));
  }

  /** Pitfall 12. */
  @Test
  void a_dead_waiter_does_not_block_the_queue() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim dead = scene().briefMutex(lock);
          Claim alive = scene().mutex(lock);
          a.granted(holder);
          b.queued(dead);
          b.queue(alive);
          scene().keep(a, holder);
          scene().keep(b, alive);

          scene()
              .eventually(
                  "the dead waiter leaves the queue", () -> a.inspect(lock).waiters().size() == 1);
          a.left(holder);

          b.holds(alive);
          b.gone(dead);
        });
  }

  @Test
  void a_dead_waiter_whose_turn_comes_loses_it_to_the_next() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim dead = scene().briefMutex(lock);
          Claim alive = scene().mutex(lock);
          a.granted(holder);
          b.queued(dead);
          b.queue(alive);
          a.left(holder);

          scene().eventually("the living waiter is granted", () -> b.isGranted(alive));

          b.gone(dead);
        });
  }

  @Test
  void a_waiter_lives_as_long_as_it_is_refreshed() throws Exception {
    whereFair(
        () ->
            scene()
                .staysAlive(
                    () -> {
                      String name = scene().name();
                      Claim holder = scene().mutex(name);
                      Claim waiter = scene().briefMutex(name);
                      Claim behind = scene().mutex(name);
                      a.granted(holder);
                      b.queued(waiter);
                      b.queued(behind);
                      return () ->
                          b.refresh(waiter) instanceof Queued queued && queued.position() == 1;
                    }));
  }

  private Client client(int i) {
    return i % 2 == 0 ? a : b;
  }
}
