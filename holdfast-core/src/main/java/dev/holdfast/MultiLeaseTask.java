package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Work under several locks, with their lease at hand.
 *
 * @param <T> what it results in
 */
@FunctionalInterface
public interface MultiLeaseTask<T extends @Nullable Object> {

  /** Does the work. */
  T run(MultiLease lease) throws Exception;
}
