package dev.holdfast.guards;

/** Makes an exception and forgets to throw it. */
final class Swallowed {
  private Swallowed() {}

  static void check(int permits) {
    if (permits < 1) {
      new IllegalArgumentException("permits (" + permits + ") must be at least 1");
    }
  }
}
