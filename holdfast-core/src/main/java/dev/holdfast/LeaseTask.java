package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Work under a lock, with the lease at hand.
 *
 * @param <T> what it results in
 */
@FunctionalInterface
public interface LeaseTask<T extends @Nullable Object> {

  /** Does the work. */
  T run(Lease lease) throws Exception;
}
