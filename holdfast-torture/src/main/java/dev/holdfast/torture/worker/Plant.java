package dev.holdfast.torture.worker;

/** What a worker does wrong on purpose, so that a test can see whether it is found. */
public enum Plant {
  /** Nothing. */
  NONE,
  /** Writes without the fence, and always late. */
  UNFENCED,
  /** Goes on for a while as if it held what it has given back. */
  LONG_VALIDITY
}
