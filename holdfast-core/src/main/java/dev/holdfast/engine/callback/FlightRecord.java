package dev.holdfast.engine.callback;

import dev.holdfast.LockEvent;
import dev.holdfast.LossReason;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** Writes what happens to locks into a flight recording, if one runs. Thread-safe. */
public final class FlightRecord {

  private FlightRecord() {}

  /**
   * Checks for a flight recorder in this JVM, before any event class is touched: loading one starts
   * the recorder, which costs a short-lived process a tenth of a second.
   *
   * @return true if one runs
   */
  public static boolean isOn() {
    return FlightRecorder.isInitialized();
  }

  public static void write(LockEvent event) {
    switch (event.type()) {
      case WAIT_ENDED -> {
        Wait wait = new Wait();
        wait.lock = event.lock();
        wait.outcome = event.outcome();
        wait.waited = event.duration().toNanos();
        wait.commit();
      }
      case RELEASED, LOST -> {
        Hold hold = new Hold();
        hold.lock = event.lock();
        hold.token = event.token();
        hold.end = event.type() == LockEvent.Type.LOST ? "lost" : "released";
        hold.held = event.duration().toNanos();
        hold.commit();
        if (event.type() == LockEvent.Type.LOST) {
          Loss loss = new Loss();
          loss.lock = event.lock();
          loss.token = event.token();
          loss.reason = LossReason.valueOf(event.outcome()).text();
          loss.commit();
        }
      }
      default -> {}
    }
  }

  /** One request that renewed a batch of claims. */
  public static void refreshed(int claims, int unanswered, long nanos) {
    Refresh refresh = new Refresh();
    refresh.claims = claims;
    refresh.unknown = unanswered;
    refresh.took = nanos;
    refresh.commit();
  }

  @Name("dev.holdfast.Wait")
  @Label("Lock Wait")
  @Description("A request for a lock was decided")
  @Category("Holdfast")
  @StackTrace(false)
  static final class Wait extends Event {
    @Label("Lock")
    @Nullable String lock;

    @Label("Outcome")
    @Nullable String outcome;

    @Label("Waited")
    @Timespan
    long waited;
  }

  @Name("dev.holdfast.Hold")
  @Label("Lock Hold")
  @Description("A lease ended by release or loss")
  @Category("Holdfast")
  @StackTrace(false)
  static final class Hold extends Event {
    @Label("Lock")
    @Nullable String lock;

    @Label("Token")
    long token;

    @Label("End")
    @Nullable String end;

    @Label("Held")
    @Timespan
    long held;
  }

  @Name("dev.holdfast.Loss")
  @Label("Lease Lost")
  @Description("A lease ended without being released")
  @Category("Holdfast")
  @StackTrace(false)
  static final class Loss extends Event {
    @Label("Lock")
    @Nullable String lock;

    @Label("Token")
    long token;

    @Label("Reason")
    @Nullable String reason;
  }

  @Name("dev.holdfast.Refresh")
  @Label("Lock Refresh")
  @Description("One request that renewed a batch of claims")
  @Category("Holdfast")
  @StackTrace(false)
  static final class Refresh extends Event {
    @Label("Claims")
    int claims;

    @Label("Without Answer")
    int unknown;

    @Label("Took")
    @Timespan
    long took;
  }
}
