package dev.holdfast.leased;

import dev.holdfast.spi.Deadline;
import java.util.concurrent.CompletableFuture;

/**
 * How a store opens leases.
 *
 * @param <L> its leases
 */
@FunctionalInterface
public interface LeaseCalls<L extends KeptLease> {

  /** Opens a lease that ends after this time unless it is renewed. */
  CompletableFuture<L> open(long seconds, Deadline deadline);
}
