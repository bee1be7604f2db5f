package dev.holdfast;

/**
 * One thing that was looked at in a store, and whether locks are safe with it.
 *
 * @param severity how much it matters
 * @param message what was found and, unless all is well, what to do; one line, without secrets
 */
public record Finding(Severity severity, String message) {

  /** Escapes what a server may have put into the message. */
  public Finding {
    message = PrintableText.message(message);
  }

  /** How much a finding matters. */
  public enum Severity {
    /** As it should be. */
    OK,
    /** Locks are safe until something else happens, which the message names. */
    WARNING,
    /** Two holders are possible, or locks can vanish, in everyday operation. */
    DANGER
  }

  /** As it should be. */
  public static Finding ok(String message) {
    return new Finding(Severity.OK, message);
  }

  /** Safe until something else happens. */
  public static Finding warning(String message) {
    return new Finding(Severity.WARNING, message);
  }

  /** Not safe. */
  public static Finding danger(String message) {
    return new Finding(Severity.DANGER, message);
  }
}
