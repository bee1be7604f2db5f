package dev.holdfast.jdbc;

import dev.holdfast.spi.StoreUrl;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Failures as messages and logs may show them: some drivers quote the URL, password and all. */
final class Redaction {

  private static final int DEPTH = 10;

  private Redaction() {}

  /** The message without passwords, on one line. */
  static String message(Throwable failure) {
    String text = failure.getMessage();
    return text == null ? failure.getClass().getSimpleName() : text(text);
  }

  /** The text without passwords, on one line, without a full stop. */
  static String text(String text) {
    return StoreUrl.redact(text).strip().replaceAll("\\s*\\R\\s*", " ").replaceFirst("\\.$", "");
  }

  /** The failure itself if it and its causes hold no password, else a copy without. */
  static Throwable of(Throwable failure) {
    return isClean(failure) ? failure : copy(failure, 0);
  }

  private static boolean isClean(Throwable failure) {
    Throwable next = failure;
    for (int depth = 0; next != null && depth < DEPTH; depth++, next = next.getCause()) {
      String text = next.getMessage();
      if (text != null && !StoreUrl.redact(text).equals(text)) {
        return false;
      }
    }
    return true;
  }

  private static SQLException copy(Throwable failure, int depth) {
    Throwable cause = failure.getCause();
    @Nullable SQLException inner = cause == null || depth >= DEPTH ? null : copy(cause, depth + 1);
    String state = failure instanceof SQLException sql ? sql.getSQLState() : null;
    int code = failure instanceof SQLException sql ? sql.getErrorCode() : 0;
    SQLException copy =
        new SQLException(
            failure.getClass().getName() + ": " + message(failure), state, code, inner);
    copy.setStackTrace(failure.getStackTrace());
    return copy;
  }
}
