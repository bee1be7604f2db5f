package dev.holdfast.consul;

import dev.holdfast.StoreException;
import org.jspecify.annotations.Nullable;

/** Nobody knows whether a request took effect. */
final class NoAnswerException extends StoreException {

  private static final long serialVersionUID = 1;

  NoAnswerException(String lock, String message, @Nullable Throwable cause) {
    super(lock, message);
    if (cause != null) { // an answer without meaning, such as "no leader", has none
      initCause(cause);
    }
  }
}
