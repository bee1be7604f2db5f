package dev.holdfast.bench;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps the libraries from talking. */
public final class Quiet {

  // Held, because a logger that nobody holds forgets its level.
  private static final Logger ROOT = Logger.getLogger("");

  private Quiet() {}

  /** No log of any library from now on: what goes wrong comes as an exception. */
  public static void logs() {
    ROOT.setLevel(Level.OFF);
  }
}
