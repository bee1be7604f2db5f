package dev.holdfast.bench.contender;

/**
 * What a lock may provide. A lock that provides less has less to do, so the report shows it beside
 * the figures.
 */
public enum Feature {
  /** A late release leaves the next holder alone. */
  OWNER_CHECK("owner check"),
  /** Each grant has a number that a resource can check. */
  TOKEN("token"),
  /** The library waits itself; otherwise the benchmark tries again every 100 ms. */
  WAITING("waiting"),
  /** First come, first served. */
  FAIR("fair"),
  /** The holder may acquire again. */
  REENTRANT("reentrant"),
  /** A held lock is renewed without the caller's doing. */
  RENEWAL("renewal"),
  /** There is a read-write lock. */
  READ_WRITE("read-write");

  private final String words;

  Feature(String words) {
    this.words = words;
  }

  /** As in a table. */
  public String words() {
    return words;
  }
}
