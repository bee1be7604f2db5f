package dev.holdfast.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** Flight recorder: how long somebody held a lock. */
@Name("dev.holdfast.Hold")
@Label("Lock Hold")
@Description("From the grant of a lock to its release or loss")
@Category("Holdfast")
@StackTrace(false)
final class HoldEvent extends Event {

  @Label("Lock")
  @Nullable String lock;

  @Label("Token")
  long token;

  @Label("End")
  @Nullable String end;

  /** An event that began now, or null when nothing records it. */
  static @Nullable HoldEvent start() {
    HoldEvent event = new HoldEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  void end(String lockName, long lockToken, String how) {
    lock = lockName;
    token = lockToken;
    end = how;
    commit();
  }
}
