package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.rules.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A claim is granted when the weights of all claims ahead of it plus its own fit the capacity. */
public abstract class WeightRules extends Rules {

  @Test
  void permits_are_granted_up_to_the_capacity() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          a.granted(scene().permits(lock, 1, 3));
          a.granted(scene().permits(lock, 2, 3));
          b.busy(scene().permits(lock, 1, 3));
        });
  }

  @Test
  void a_small_claim_does_not_slip_past_a_big_one_that_waits() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.SEMAPHORE,
                () -> {
                  Claim holder = scene().permits(lock, 2, 3);
                  Claim big = scene().permits(lock, 2, 3);
                  a.granted(holder);
                  b.queued(big);

                  a.busy(scene().permits(lock, 1, 3));
                  Claim small = scene().permits(lock, 1, 3);
                  a.queued(small);
                  a.waits(small);
                  a.left(holder);

                  b.holds(big);
                  a.holds(small);
                }));
  }

  @Test
  void readers_share_and_a_writer_excludes() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          Claim one = scene().reader(lock);
          Claim two = scene().reader(lock);
          a.granted(one);
          b.granted(two);
          a.busy(scene().writer(lock));
          a.left(one);
          a.busy(scene().writer(lock));
          b.left(two);
          a.granted(scene().writer(lock));
          b.busy(scene().reader(lock));
          b.busy(scene().writer(lock));
        });
  }

  @Test
  void readers_behind_a_waiting_writer_wait_and_then_run_together() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.READ_WRITE,
                () -> {
                  Claim reader = scene().reader(lock);
                  Claim writer = scene().writer(lock);
                  Claim another = scene().writer(lock);
                  Claim late = scene().reader(lock);
                  Claim later = scene().reader(lock);
                  a.granted(reader);
                  b.queued(writer);
                  b.queued(another);
                  a.queued(late);
                  b.queued(later);

                  a.left(reader);
                  b.holds(writer);
                  b.waits(another);
                  b.left(writer);
                  b.holds(another);
                  a.waits(late);
                  b.left(another);

                  a.holds(late);
                  b.holds(later);
                }));
  }

  @Test
  void lowering_a_weight_keeps_the_token_and_grants_the_claims_that_fit_now() throws Exception {
    whereFair(
        () ->
            whereKept(
                Kind.READ_WRITE,
                () -> {
                  Claim writer = scene().writer(lock);
                  Claim reader = scene().reader(lock);
                  Claim next = scene().writer(lock);
                  long token = a.granted(writer).token();
                  b.queued(reader);
                  b.queued(next);

                  Claim lowered = writer.weighing(1);
                  assertThat(a.holds(lowered).token()).isEqualTo(token);

                  b.holds(reader);
                  b.waits(next);
                  assertThat(a.inspect(lock).holders()).hasSize(2);
                }));
  }

  @Test
  void a_refresh_never_raises_a_weight() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          Claim one = scene().permits(lock, 1, 3);
          a.granted(one);
          b.granted(scene().permits(lock, 1, 3));

          a.refresh(one.weighing(2));

          b.granted(scene().permits(lock, 1, 3));
          assertThat(a.inspect(lock).holders()).hasSize(3).allMatch(holder -> holder.weight() == 1);
        });
  }

  @Test
  void a_repeated_join_never_raises_a_weight() throws Exception {
    whereKept(
        Kind.SEMAPHORE,
        () -> {
          Claim one = scene().permits(lock, 1, 3);
          long token = a.granted(one).token();
          b.granted(scene().permits(lock, 1, 3));

          assertThat(a.granted(one.weighing(2)).token()).isEqualTo(token);

          b.granted(scene().permits(lock, 1, 3));
        });
  }

  /** The store and the pure rule are given the same arrivals and departures. */
  @Test
  void the_store_admits_exactly_whom_the_prefix_sum_rule_admits() throws Exception {
    whereFair(() -> whereKept(Kind.SEMAPHORE, () -> compareWithRule(4711)));
  }

  private void compareWithRule(long seed) {
    Random random = new Random(seed);
    int capacity = 5;
    List<Claim> queue = new ArrayList<>();
    for (int step = 0; step < 60; step++) {
      if (queue.isEmpty() || (queue.size() < 12 && random.nextInt(100) < 60)) {
        Claim claim = scene().permits(lock, 1 + random.nextInt(capacity), capacity);
        a.queue(claim);
        queue.add(claim);
      } else {
        b.left(queue.remove(random.nextInt(queue.size())));
      }
      int admitted = Admission.admitted(queue.stream().map(Claim::weight).toList(), capacity);
      Map<Claim, Standing> standings = a.refresh(queue);
      for (int i = 0; i < queue.size(); i++) {
        assertThat(standings.get(queue.get(i)) instanceof Granted)
            .as("seed %s, step %s: whether claim %s of %s is granted", seed, step, i, queue)
            .isEqualTo(i < admitted);
      }
    }
  }
}
