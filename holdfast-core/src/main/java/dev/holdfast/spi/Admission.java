package dev.holdfast.spi;

import dev.holdfast.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * The one rule of the model: a claim is granted when the weights of all claims ahead of it plus its
 * own fit the capacity.
 *
 * <p>With weights of at least 1, a fixed capacity and no revival, a grant stays granted and grants
 * happen in queue order.
 */
public final class Admission {

  private Admission() {}

  /** What the rule reads of a claim. */
  public interface Weighed {

    Kind kind();

    int capacity();

    int weight();

    /**
     * @return true if both use the lock in the same way
     */
    default boolean agreesWith(Weighed other) {
      return kind() == other.kind() && capacity() == other.capacity();
    }
  }

  /**
   * @param weights of the claims in queue order
   * @return the number of granted claims, all at the head
   */
  public static int admitted(List<Integer> weights, int capacity) {
    long sum = 0; // two writers of a read-write lock would overflow an int
    for (int i = 0; i < weights.size(); i++) {
      sum += weights.get(i);
      if (sum > capacity) {
        return i;
      }
    }
    return weights.size();
  }

  /**
   * The rule in a queue whose claims may disagree: stores that read the queue after a claim has
   * entered it. A claim that disagrees with the first one is not granted, nor is one behind it; its
   * client removes it.
   *
   * @param queue the claims in queue order
   * @return the number of granted claims, all at the head
   */
  public static int admitted(List<? extends Weighed> queue) {
    long ahead = 0;
    for (int i = 0; i < queue.size(); i++) {
      Weighed claim = queue.get(i);
      if (!claim.agreesWith(queue.get(0)) || !fits(ahead, claim.weight(), claim.capacity())) {
        return i;
      }
      ahead += claim.weight();
    }
    return queue.size();
  }

  /**
   * The claims to watch for a waiter. Prefers near claims, so that a leave wakes few waiters, and
   * heavy claims over many light ones.
   *
   * @param ahead the claims ahead of the waiter, in queue order
   * @return a minimal set of claims that block the waiter as long as all of them stay unchanged;
   *     all of {@code ahead} if the waiter fits behind them
   */
  public static <C extends Weighed> List<C> blockers(List<C> ahead, Weighed waiter) {
    long room = (long) waiter.capacity() - waiter.weight();
    List<C> chosen = new ArrayList<>();
    long sum = 0;
    for (int i = ahead.size() - 1; i >= 0 && sum <= room; i--) {
      C claim = ahead.get(i);
      if (!claim.agreesWith(waiter)) {
        return List.of(claim);
      }
      chosen.add(claim);
      sum += claim.weight();
    }
    List<C> needed = new ArrayList<>();
    for (C claim : chosen) {
      if (sum - claim.weight() > room) {
        sum -= claim.weight();
      } else {
        needed.add(claim);
      }
    }
    return needed;
  }

  /**
   * @return true if a claim fits behind claims whose weights add up to {@code ahead}
   */
  public static boolean fits(long ahead, int weight, int capacity) {
    return ahead + weight <= capacity;
  }
}
