package dev.holdfast.testkit.explorer;

import java.util.function.Supplier;

/** An event that can happen next. */
record Step(Supplier<String> label, Runnable event) {

  static Step of(Supplier<String> label, Runnable event) {
    return new Step(label, event);
  }
}
