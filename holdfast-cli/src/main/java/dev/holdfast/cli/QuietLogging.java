package dev.holdfast.cli;

/**
 * A configuration of java.util.logging without a handler: what client libraries report there, a
 * reconnection say, our own messages tell where it matters, and stderr belongs to them.
 */
public final class QuietLogging {

  /** For java.util.logging, which configures itself by making one of these. */
  public QuietLogging() {}

  /** Takes effect when something logs for the first time; costs nothing otherwise. */
  static void install() {
    System.setProperty("java.util.logging.config.class", QuietLogging.class.getName());
  }
}
