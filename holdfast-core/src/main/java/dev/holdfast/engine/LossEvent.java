package dev.holdfast.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** Flight recorder: a lease was lost. */
@Name("dev.holdfast.Loss")
@Label("Lease Lost")
@Description("A lease ended without being released")
@Category("Holdfast")
@StackTrace(false)
final class LossEvent extends Event {

  @Label("Lock")
  @Nullable String lock;

  @Label("Token")
  long token;

  @Label("Reason")
  @Nullable String reason;

  static void tell(String lock, long token, String reason) {
    LossEvent event = new LossEvent();
    event.lock = lock;
    event.token = token;
    event.reason = reason;
    event.commit();
  }
}
