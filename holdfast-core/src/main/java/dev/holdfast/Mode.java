package dev.holdfast;

/** How the holder of a token excludes others; a {@link Fence} treats each differently. */
public enum Mode {
  /** Nobody else holds the lock: a fence refuses every smaller exclusive token afterwards. */
  EXCLUSIVE,
  /** Other readers may hold it too: checked against the last exclusive token, never raises it. */
  SHARED,
  /** Some permits of a semaphore: others run at the same time, so a fence cannot order them. */
  PERMIT
}
