package dev.holdfast.bench.store;

/**
 * Counts requests of a protocol in which each message has a head of known size that has the length
 * of the rest. Not thread-safe.
 */
public abstract class FrameCounter implements Framing.Counter {

  // Mutable state
  private final byte[] head = new byte[16];
  private int inHead;
  private long left;
  private boolean counts;

  /** The number of bytes before the first message. */
  protected FrameCounter(int preface) {
    this.left = preface;
  }

  /** The size of the head, given its first byte. */
  protected abstract int headSize(byte first);

  /** How many bytes follow the head. */
  protected abstract long rest(byte[] header);

  /** Returns whether the message is a request. */
  protected abstract boolean isRequest(byte[] header);

  @Override
  public final boolean endsRequest(byte next) {
    if (left > 0) {
      left--;
      return left == 0 && counts;
    }
    head[inHead++] = next;
    if (inHead < headSize(head[0])) {
      return false;
    }
    inHead = 0;
    left = rest(head);
    counts = isRequest(head);
    return left == 0 && counts;
  }

  /** A number of this many bytes in the head, big-endian. */
  protected static long number(byte[] header, int from, int size) {
    long number = 0;
    for (int i = from; i < from + size; i++) {
      number = number << 8 | (header[i] & 0xff);
    }
    return number;
  }
}
