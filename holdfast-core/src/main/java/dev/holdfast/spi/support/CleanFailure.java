package dev.holdfast.spi.support;

import dev.holdfast.StoreException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A failure whose message shows a secret, without it: the same trace, and a cleaned message. */
final class CleanFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  // Chains of causes may be circular.
  private static final int DEPTH = 16;

  private final String type;

  private CleanFailure(String type, @Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
    this.type = type;
  }

  /** The failure itself if there is nothing to hide in it. */
  static Throwable of(Throwable failure, UnaryOperator<String> hide) {
    return isClean(failure, hide, 0) ? failure : copy(failure, hide, 0);
  }

  private static boolean isClean(Throwable failure, UnaryOperator<String> hide, int depth) {
    String text = failure.toString();
    if (depth > DEPTH || !hide.apply(text).equals(text)) {
      return false;
    }
    for (Throwable beside : failure.getSuppressed()) {
      if (!isClean(beside, hide, depth + 1)) {
        return false;
      }
    }
    Throwable cause = failure.getCause();
    return cause == null || isClean(cause, hide, depth + 1);
  }

  private static Throwable copy(Throwable failure, UnaryOperator<String> hide, int depth) {
    Throwable inner = failure.getCause();
    Throwable cause = inner == null || depth >= DEPTH ? null : copy(inner, hide, depth + 1);
    Throwable copy = sameType(failure, hide, cause);
    copy.setStackTrace(failure.getStackTrace());
    for (Throwable beside : depth >= DEPTH ? new Throwable[0] : failure.getSuppressed()) {
      copy.addSuppressed(copy(beside, hide, depth + 1));
    }
    return copy;
  }

  // Callers tell these types apart; of the others they see name and message.
  private static Throwable sameType(
      Throwable failure, UnaryOperator<String> hide, @Nullable Throwable cause) {
    String text = failure.getMessage();
    String message = text == null ? null : hide.apply(text);
    if (failure instanceof StoreException known) {
      String said = String.valueOf(message);
      return cause == null
          ? new StoreException(known.lockName(), said)
          : new StoreException(known.lockName(), said, cause);
    }
    if (failure.getClass() == IllegalArgumentException.class) {
      return new IllegalArgumentException(message, cause);
    }
    if (failure.getClass() == IllegalStateException.class) {
      return new IllegalStateException(message, cause);
    }
    if (failure.getClass() == UnsupportedOperationException.class) {
      return new UnsupportedOperationException(message, cause);
    }
    return new CleanFailure(failure.getClass().getName(), message, cause);
  }

  /** As the failure it stands for would print itself. */
  @Override
  public String toString() {
    String message = getMessage();
    return message == null ? type : type + ": " + message;
  }
}
