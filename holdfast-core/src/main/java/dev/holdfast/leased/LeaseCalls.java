package dev.holdfast.leased;

import dev.holdfast.spi.Deadline;
import java.util.concurrent.CompletableFuture;

/**
 * What a store does about leases.
 *
 * @param <L> its leases
 */
public interface LeaseCalls<L extends KeptLease> {

  /** Opens a lease that ends after this time unless it is renewed. */
  CompletableFuture<L> open(long seconds, Deadline deadline);

  /**
   * @return the epoch that the store is known to be in. A lease that was opened in an earlier one
   *     is replaced; always 0 for a store whose leases outlive a change of its leader
   */
  long epoch();
}
