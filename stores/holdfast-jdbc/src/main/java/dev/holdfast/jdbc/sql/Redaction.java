package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.support.Secrets;

/**
 * Failures of databases as messages may show them: some drivers quote the URL with its password.
 */
public final class Redaction {

  private Redaction() {}

  /** The message without passwords, on one line. */
  public static String message(Throwable failure) {
    String text = failure.getMessage();
    return text == null ? failure.getClass().getSimpleName() : text(text);
  }

  /** The text without passwords, on one line, without a full stop. */
  public static String text(String text) {
    return Secrets.unknown()
        .hide(text)
        .strip()
        .replaceAll("\\s*\\R\\s*", " ")
        .replaceFirst("\\.$", "");
  }

  /** The failure itself if it and its causes hold no password, else a copy without. */
  public static Throwable of(Throwable failure) {
    return Secrets.unknown().hide(failure);
  }
}
