package dev.holdfast.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Flight recorder: one batch of renewals. */
@Name("dev.holdfast.Refresh")
@Label("Lock Refresh")
@Description("One request that renewed a batch of claims")
@Category("Holdfast")
@StackTrace(false)
final class RefreshEvent extends Event {

  @Label("Claims")
  int claims;

  @Label("Without Answer")
  int unknown;

  /** An event that began now. */
  static RefreshEvent start() {
    RefreshEvent event = new RefreshEvent();
    event.begin();
    return event;
  }

  void end(int asked, long unanswered) {
    claims = asked;
    unknown = (int) unanswered;
    commit();
  }
}
