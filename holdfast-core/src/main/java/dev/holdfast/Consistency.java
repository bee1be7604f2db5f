package dev.holdfast;

/** How far a store's word can be trusted when its machines fail. */
public enum Consistency {
  /** May forget or double a grant after a fail-over, an eviction or a clock jump. */
  BEST_EFFORT,
  /** An acknowledged change is never lost and every answer reflects all changes before it. */
  LINEARIZABLE
}
