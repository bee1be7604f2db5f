package dev.holdfast.cli.signal;

/**
 * Catches signals. Java has no supported way to tell one from another, which passing them on needs;
 * this class alone uses {@code sun.misc.Signal}, and is compiled on its own for that reason.
 */
public final class Signals {

  /** Hears of a signal, on a thread of the JVM's. */
  public @FunctionalInterface interface Handler {
    void received(String name, int number);
  }

  private Signals() {}

  /** Calls the handler from now on. A signal that the process was started to ignore stays so. */
  public static void handle(String name, Handler handler) {
    sun.misc.Signal.handle(
        new sun.misc.Signal(name),
        signal -> handler.received(signal.getName(), signal.getNumber()));
  }
}
