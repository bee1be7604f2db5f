package dev.holdfast.spi;

/** What a store answers for one claim to {@link LockStore#leave}. */
public enum Left {
  /** The claim was there and has ended now. */
  LEFT,
  /** The claim was not there: it had left, expired or been evicted before. */
  GONE,
  /** The store did not answer for this claim. */
  UNKNOWN
}
