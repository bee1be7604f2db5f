package dev.holdfast.bench.catalogue;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Turns the logs of the client libraries off. */
public final class LibraryLogs {

  // Referenced, because a logger that is garbage-collected forgets its level.
  private static final Logger ROOT = Logger.getLogger("");

  private LibraryLogs() {}

  /** Turns all library logs off: failures arrive as exceptions. */
  public static void logs() {
    ROOT.setLevel(Level.OFF);
  }
}
