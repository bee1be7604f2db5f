package dev.holdfast.spi;

import static dev.holdfast.Kind.UNBOUNDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.spi.Admission.Weighed;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The prefix-sum rule, exhaustively over small queues, against a model that is too simple to be
 * wrong.
 */
class AdmissionTest {

  private static final int MAX_WEIGHT = 4;
  private static final int MAX_CAPACITY = 6;
  private static final int MAX_QUEUE = 5;

  /** The rule as the design words it, for one claim, from scratch and without overflow. */
  private static boolean isGranted(List<Integer> weights, int index, int capacity) {
    BigInteger sum = BigInteger.ZERO;
    for (int weight : weights.subList(0, index + 1)) {
      sum = sum.add(BigInteger.valueOf(weight));
    }
    return sum.compareTo(BigInteger.valueOf(capacity)) <= 0;
  }

  @Test
  void a_claim_is_granted_exactly_when_it_and_all_ahead_fit() {
    forEachQueue(
        weights -> {
          for (int capacity = 1; capacity <= MAX_CAPACITY; capacity++) {
            int admitted = Admission.admitted(weights, capacity);
            for (int i = 0; i < weights.size(); i++) {
              assertThat(i < admitted)
                  .as("claim %d of %s in capacity %d", i, weights, capacity)
                  .isEqualTo(isGranted(weights, i, capacity));
            }
          }
        });
  }

  @Test
  void fits_says_the_same_one_claim_at_a_time() {
    forEachQueue(
        weights -> {
          for (int capacity = 1; capacity <= MAX_CAPACITY; capacity++) {
            long ahead = 0;
            int granted = 0;
            while (granted < weights.size()
                && Admission.fits(ahead, weights.get(granted), capacity)) {
              ahead += weights.get(granted++);
            }
            assertThat(granted)
                .as("%s in capacity %d", weights, capacity)
                .isEqualTo(Admission.admitted(weights, capacity));
          }
        });
  }

  @Test
  void a_read_write_lock_admits_the_first_writer_or_all_readers_before_it() {
    for (int length = 0; length <= 10; length++) {
      for (int writers = 0; writers < 1 << length; writers++) {
        List<Integer> weights = new ArrayList<>();
        for (int i = 0; i < length; i++) {
          weights.add((writers >> i & 1) == 1 ? UNBOUNDED : 1);
        }
        int firstWriter = weights.indexOf(UNBOUNDED);
        int expected = firstWriter < 0 ? length : Math.max(firstWriter, Math.min(1, length));
        assertThat(Admission.admitted(weights, UNBOUNDED)).as("%s", weights).isEqualTo(expected);
      }
    }
  }

  @Test
  void two_writers_do_not_overflow_into_a_grant() {
    assertThat(Admission.admitted(List.of(UNBOUNDED, UNBOUNDED, UNBOUNDED), UNBOUNDED))
        .isEqualTo(1);
    assertThat(Admission.fits(2L * UNBOUNDED, UNBOUNDED, UNBOUNDED)).isFalse();
    assertThat(Admission.fits(1, UNBOUNDED, UNBOUNDED)).isFalse();
    assertThat(Admission.fits(0, UNBOUNDED, UNBOUNDED)).isTrue();
  }

  @Test
  void a_grant_stays_granted_whatever_claim_comes_behind_it() {
    forEachQueue(
        weights -> {
          for (int capacity = 1; capacity <= MAX_CAPACITY; capacity++) {
            int before = Admission.admitted(weights, capacity);
            for (int weight = 1; weight <= MAX_WEIGHT; weight++) {
              List<Integer> longer = new ArrayList<>(weights);
              longer.add(weight);
              assertThat(Admission.admitted(longer, capacity))
                  .as("%s in capacity %d", longer, capacity)
                  .isGreaterThanOrEqualTo(before);
            }
          }
        });
  }

  @Test
  void a_grant_stays_granted_whatever_other_claim_leaves() {
    forEachQueue(
        weights -> {
          for (int capacity = 1; capacity <= MAX_CAPACITY; capacity++) {
            int before = Admission.admitted(weights, capacity);
            for (int leaver = 0; leaver < weights.size(); leaver++) {
              List<Integer> shorter = new ArrayList<>(weights);
              shorter.remove(leaver);
              int others = leaver < before ? before - 1 : before;
              assertThat(Admission.admitted(shorter, capacity))
                  .as("%s without claim %d in capacity %d", weights, leaver, capacity)
                  .isGreaterThanOrEqualTo(others);
            }
          }
        });
  }

  @Test
  void a_grant_stays_granted_when_any_weight_is_lowered() {
    forEachQueue(
        weights -> {
          for (int capacity = 1; capacity <= MAX_CAPACITY; capacity++) {
            int before = Admission.admitted(weights, capacity);
            for (int i = 0; i < weights.size(); i++) {
              List<Integer> lighter = new ArrayList<>(weights);
              lighter.set(i, 1);
              assertThat(Admission.admitted(lighter, capacity))
                  .as("%s, claim %d lowered, in capacity %d", weights, i, capacity)
                  .isGreaterThanOrEqualTo(before);
            }
          }
        });
  }

  @Test
  void a_small_claim_never_overtakes_a_big_one_that_waits() {
    assertThat(Admission.admitted(List.of(2, 3, 1), 4)).isEqualTo(1);
  }

  @Test
  void when_a_big_waiter_leaves_the_small_one_behind_it_fits() {
    assertThat(Admission.admitted(List.of(2, 1), 4)).isEqualTo(2);
  }

  @Test
  void claims_that_agree_follow_the_same_rule() {
    forEachQueue(
        weights -> {
          for (int capacity = 1; capacity <= MAX_CAPACITY; capacity++) {
            assertThat(Admission.admitted(permits(weights, capacity)))
                .isEqualTo(Admission.admitted(weights, capacity));
          }
        });
  }

  @Test
  void a_claim_that_disagrees_with_the_first_is_not_granted_nor_is_one_behind_it() {
    Weighed reader = new Use(Kind.READ_WRITE, UNBOUNDED, 1);
    Weighed permit = new Use(Kind.SEMAPHORE, 3, 1);

    assertThat(Admission.admitted(List.of(reader, permit, reader))).isEqualTo(1);
    assertThat(Admission.blockers(List.of(reader, permit, reader), reader)).containsOnly(permit);
  }

  @Test
  void the_blockers_alone_keep_a_waiter_out_and_none_of_them_is_too_many() {
    forEachQueue(
        weights -> {
          for (int capacity = MAX_WEIGHT; capacity <= MAX_CAPACITY; capacity++) {
            List<Use> queue = permits(weights, capacity);
            int last = queue.size() - 1;
            if (last >= Admission.admitted(queue)) {
              Use waiter = queue.get(last);
              List<Use> blockers = Admission.blockers(queue.subList(0, last), waiter);
              int sum = blockers.stream().mapToInt(Use::weight).sum();
              assertThat(Admission.fits(sum, waiter.weight(), capacity)).isFalse();
              for (Use leaving : blockers) {
                assertThat(Admission.fits(sum - leaving.weight(), waiter.weight(), capacity))
                    .as("%s in capacity %d, blockers %s", weights, capacity, blockers)
                    .isTrue();
              }
            }
          }
        });
  }

  @Test
  void near_blockers_are_preferred_and_heavy_ones_over_many_light_ones() {
    List<Use> near = permits(List.of(1, 1, 1), 1);
    assertThat(Admission.blockers(near.subList(0, 2), near.get(2)).get(0)).isSameAs(near.get(1));

    List<Use> heavy = permits(List.of(3, 1, 1, 2), 4);
    assertThat(Admission.blockers(heavy.subList(0, 3), heavy.get(3)))
        .singleElement()
        .isSameAs(heavy.get(0));
  }

  @Test
  void everything_ahead_is_returned_for_a_claim_that_fits() {
    List<Use> queue = permits(List.of(1, 1, 1), 3);

    assertThat(Admission.blockers(queue.subList(0, 2), queue.get(2))).hasSize(2);
  }

  private record Use(Kind kind, int capacity, int weight) implements Weighed {}

  private static List<Use> permits(List<Integer> weights, int capacity) {
    return weights.stream().map(weight -> new Use(Kind.SEMAPHORE, capacity, weight)).toList();
  }

  /** All queues of up to {@link #MAX_QUEUE} claims with all weights. */
  private static void forEachQueue(Consumer<List<Integer>> check) {
    List<List<Integer>> ofThisLength = List.of(List.of());
    for (int length = 0; length <= MAX_QUEUE; length++) {
      ofThisLength.forEach(check);
      List<List<Integer>> longer = new ArrayList<>();
      for (List<Integer> queue : ofThisLength) {
        for (int weight = 1; weight <= MAX_WEIGHT; weight++) {
          List<Integer> next = new ArrayList<>(queue);
          next.add(weight);
          longer.add(next);
        }
      }
      ofThisLength = longer;
    }
  }
}
