package dev.holdfast.bench.store;

/**
 * Counts requests of a protocol of lines, some of which announce how many bytes follow. Not
 * thread-safe.
 */
public abstract class LineCounter implements Framing.Counter {

  /** The request goes on with another line. */
  protected static final long MORE = -1;

  // Mutable state
  private final StringBuilder line = new StringBuilder();
  private long left;

  /** How many bytes the request has after this line, or {@link #MORE}. */
  protected abstract long rest(String text);

  @Override
  public final boolean endsRequest(byte next) {
    if (left > 0) {
      left--;
      return left == 0;
    }
    if (next != '\n') {
      line.append((char) next);
      return false;
    }
    long rest = rest(line.toString().strip());
    line.setLength(0);
    left = Math.max(0, rest);
    return rest == 0;
  }
}
