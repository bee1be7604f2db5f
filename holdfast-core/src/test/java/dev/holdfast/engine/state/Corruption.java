package dev.holdfast.engine.state;

/** Breaks the state of a lock on purpose: transitions that look at its grants throw. */
public final class Corruption {

  private Corruption() {}

  /** Makes them throw from now on. Not under load: takes no mutex. */
  public static void of(LockState state) {
    state.granted.add(null);
  }
}
