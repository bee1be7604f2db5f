package dev.holdfast.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** Flight recorder: how long somebody waited for a lock. */
@Name("dev.holdfast.Wait")
@Label("Lock Wait")
@Description("From the request for a lock to its decision")
@Category("Holdfast")
@StackTrace(false)
final class WaitEvent extends Event {

  @Label("Lock")
  @Nullable String lock;

  @Label("Outcome")
  @Nullable String outcome;

  /** An event that began now, or null when nothing records it. */
  static @Nullable WaitEvent start() {
    WaitEvent event = new WaitEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  void end(String lockName, String what) {
    lock = lockName;
    outcome = what;
    commit();
  }
}
