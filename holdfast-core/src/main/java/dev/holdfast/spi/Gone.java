package dev.holdfast.spi;

/** The claim has ended: it left, expired or was evicted. It never comes back. */
public enum Gone implements Standing {
  /** The only value. */
  GONE
}
