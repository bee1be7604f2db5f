package dev.holdfast.engine.state;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The last confirmation of a claim by the store. Once it was seen to be over it stays so, also
 * against a confirmation that is under way. Thread-safe.
 */
final class Confirmation extends AtomicReference<@Nullable Validity> {

  private static final long serialVersionUID = 1L;

  /**
   * The store has confirmed what was sent then.
   *
   * @param lasting whether a confirmation that was seen to be over ends it for good
   * @return whether that counts: not if the last one was seen to be over before
   */
  boolean confirm(Validity next, boolean lasting) {
    while (true) {
      Validity current = get();
      if (current != null && lasting && current.over()) {
        return false;
      }
      if (current != null && next.sent().nanos - current.sent().nanos < 0) {
        return true;
      }
      if (compareAndSet(current, next)) {
        return true;
      }
    }
  }

  /** Nanoseconds left; zero or less when it is over. */
  long remaining(Moment now) {
    while (true) {
      Validity current = get();
      if (current == null) {
        return 0;
      }
      long time = current.remaining(now);
      if (time > 0 || current.over() || compareAndSet(current, current.ended())) {
        return time;
      }
    }
  }

  /** Whether it was sent before this moment. */
  boolean sentBefore(long moment) {
    Validity current = get();
    return current != null && current.sent().nanos - moment < 0;
  }

  /** Whether it was seen to be over: then it stays so. */
  boolean wasSeenOver() {
    Validity current = get();
    return current != null && current.over();
  }
}
