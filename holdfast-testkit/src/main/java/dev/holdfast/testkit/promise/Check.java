package dev.holdfast.testkit.promise;

import org.jspecify.annotations.Nullable;

/** Compares a history with some promises, one observation after the other. Not thread-safe. */
interface Check {

  /**
   * Looks at an observation, before the facts follow it.
   *
   * @param life the attempt that it belongs to; null if it belongs to none, or begins one
   */
  void look(Observation o, @Nullable Life life, Facts facts, Found found);

  /** The history has ended. */
  default void end(long at, Facts facts, Found found) {}

  /** Where violations go. */
  interface Found {
    void violation(Promise promise, String what, @Nullable Observation... shown);
  }
}
