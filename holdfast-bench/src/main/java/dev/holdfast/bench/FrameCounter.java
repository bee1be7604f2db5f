package dev.holdfast.bench;

/**
 * Counts requests of a protocol in which each message has a head of known size that tells how long
 * the rest is. Not thread-safe.
 */
public abstract class FrameCounter implements Framing.Counter {

  // Mutable state
  private final byte[] head = new byte[16];
  private int inHead;
  private long left;
  private boolean counts;

  /** So many bytes come before the first message. */
  protected FrameCounter(int preface) {
    this.left = preface;
  }

  /** The size of the head, as far as its first byte tells. */
  protected abstract int headSize(byte first);

  /** How many bytes follow the head. */
  protected abstract long rest(byte[] header);

  /** Whether the message is a request. */
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

  /** A number of so many bytes in the head, the first being the highest. */
  protected static long number(byte[] header, int from, int size) {
    long number = 0;
    for (int i = from; i < from + size; i++) {
      number = number << 8 | (header[i] & 0xff);
    }
    return number;
  }
}
