package dev.holdfast.testkit;

/** What is asked of a store: one request and one answer each. */
public enum Verb {
  /** Enter the queue. */
  JOIN,
  /** Check and renew. */
  REFRESH,
  /** Release or withdraw. */
  LEAVE,
  /** Forced release. */
  EVICT,
  /** Removal of what cannot be read. */
  DISCARD,
  /** The holders and waiters. */
  INSPECT,
  /** The locks in use. */
  LIST,
  /** What endangers locks. */
  DIAGNOSE
}
