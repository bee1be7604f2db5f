package dev.holdfast.guards;

/** Returns null where the type says that it never does. */
final class Nothing {
  private Nothing() {}

  static String holder(boolean held) {
    return held ? "billing-7" : null;
  }
}
