package dev.holdfast.spi;

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

  /**
   * How many claims at the head of a queue are granted.
   *
   * @param weights of the claims in queue order
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

  /** Whether a claim fits behind claims whose weights add up to {@code ahead}. */
  public static boolean fits(long ahead, int weight, int capacity) {
    return ahead + weight <= capacity;
  }
}
