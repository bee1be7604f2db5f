package dev.holdfast.engine;

import jdk.jfr.FlightRecorder;

/**
 * Whether a flight recorder runs in this JVM. Asked before any event class is touched: loading one
 * starts the recorder's machinery, which costs a short-lived process a tenth of a second.
 */
final class Recorder {

  private Recorder() {}

  static boolean isOn() {
    return FlightRecorder.isInitialized();
  }
}
