package dev.holdfast.cli;

/**
 * A configuration of java.util.logging without a handler: stderr is for our own messages, which
 * report what client libraries log there, such as a reconnection, where it matters.
 */
public final class QuietLogging {

  /** For java.util.logging, which configures itself by making one of these. */
  public QuietLogging() {}

  /** Takes effect when something logs for the first time; costs nothing otherwise. */
  static void install() {
    System.setProperty("java.util.logging.config.class", QuietLogging.class.getName());
  }
}
