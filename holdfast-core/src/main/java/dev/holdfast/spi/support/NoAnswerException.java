package dev.holdfast.spi.support;

import dev.holdfast.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * A request was not answered before its deadline; it may have taken effect. Another operation that
 * has more time may send it again, see {@link Failures#repeatIfUnanswered}.
 */
public final class NoAnswerException extends StoreException {

  private static final long serialVersionUID = 1L;

  NoAnswerException(String lock, String message, @Nullable Throwable cause) {
    super(lock, message);
    if (cause != null) {
      initCause(cause);
    }
  }
}
