package dev.holdfast.engine;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.LeakReports;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.HoldTransitions;
import dev.holdfast.engine.state.Tenure;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds holds that nobody can close any more. They are looked at whenever their renewal is due: one
 * whose lease objects are all gone is reported, and no longer renewed unless its thread lives and
 * may enter it again, or somebody waits for its loss. Thread-safe.
 */
final class Leaks {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private static final int SAMPLE = 128;

  /** Of how many acquisitions one is remembered with its stack; none if 0. */
  final int sample;

  private final LeakReports reports;
  private final Map<Hold, Throwable> origins = Collections.synchronizedMap(new WeakHashMap<>());
  private final Map<Hold, Boolean> reported = Collections.synchronizedMap(new WeakHashMap<>());

  Leaks(LeakReports reports) {
    this.reports = reports;
    this.sample =
        switch (reports) {
          case OFF -> 0;
          case SAMPLED -> SAMPLE;
          case ALL -> 1;
        };
  }

  /** A lease of the sample was given to a caller. */
  void acquired(Hold hold) {
    origins.put(hold, new Throwable("acquired here"));
  }

  /** Looks whether the holds on a tenure can still be closed. */
  void look(LockShell shell, Tenure tenure) {
    List<Hold> expected = new ArrayList<>(0);
    List<Hold> unreachable = new ArrayList<>(0);
    shell.on(
        (state, now, out) -> {
          for (Hold hold : tenure.holds) {
            if (!hold.isOver() && hold.isUnreferenced()) {
              (hold.isExpected() ? expected : unreachable).add(hold);
            }
          }
        });
    // After the mutex is let go: a logger may block, and nobody can reach these holds any more.
    for (Hold hold : expected) {
      if (!hold.ofView) {
        report(hold, "is not closed and no code refers to it; its thread still holds the lock.");
      }
    }
    for (Hold hold : unreachable) {
      if (!hold.abandoned) {
        shell.on((state, now, out) -> HoldTransitions.abandoned(hold));
        report(hold, "was never closed and nobody can close it any more. It is not renewed.");
      }
    }
  }

  private void report(Hold hold, String what) {
    if (reports == LeakReports.OFF || reported.put(hold, true) != null) {
      return;
    }
    Throwable origin = origins.get(hold);
    LOG.log(Level.WARNING, message(hold, what, origin), origin);
  }

  private static String message(Hold hold, String what, @Nullable Throwable origin) {
    String hint =
        origin != null ? "" : " Set leakReports(ALL) on the builder to see where it was acquired.";
    return "The lease on "
        + quote(hold.tenure.claim.lock())
        + " (token "
        + hold.token
        + ") "
        + what
        + hint;
  }
}
