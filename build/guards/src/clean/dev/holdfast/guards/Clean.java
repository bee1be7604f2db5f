package dev.holdfast.guards;

/** Breaks no rule: what fails here would fail for a reason other than a guard. */
final class Clean {
  private Clean() {}

  static String greeting() {
    return "hello";
  }
}
