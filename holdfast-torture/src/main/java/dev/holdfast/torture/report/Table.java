package dev.holdfast.torture.report;

import java.util.List;
import java.util.Locale;

/** All stores in one table, in Markdown: the one in docs/TESTING.md. */
public final class Table {

  private static final String HEAD =
      """
      | store | minutes | faults | grants | overlaps | tokens | stale writes | losses | takeover, s | hung, left | |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      """;

  private Table() {}

  /** One row for each. */
  public static String of(List<Result> results) {
    StringBuilder table = new StringBuilder(HEAD);
    results.forEach(result -> table.append(row(result)));
    return table.toString();
  }

  private static String row(Result r) {
    String overlaps =
        r.expectedOverlaps() == 0 ? "" + r.overlaps() : r.overlaps() + " + " + r.expectedOverlaps();
    String takeover =
        r.takeovers() == 0
            ? "–"
            : String.format(
                Locale.ROOT,
                "%.1f, %.1f of %.1f",
                r.takeoverMedianMillis() / 1e3,
                r.takeoverMaxMillis() / 1e3,
                r.takeoverBoundMillis() / 1e3);
    return String.format(
        Locale.ROOT,
        "| %s | %s | %d | %,d | %s | %d | %d, %d | %d, %d | %s | %d, %d | %s |%n",
        r.title(),
        minutes(r),
        r.allFaults(),
        r.allGrants(),
        overlaps,
        r.regressions(),
        r.refused(),
        r.staleAccepted(),
        r.losses(),
        r.lateLosses(),
        takeover,
        r.hung(),
        r.leftBehind(),
        r.passed() ? "held" : "**broken**");
  }

  private static String minutes(Result r) {
    return r.seconds() % 60 == 0
        ? "" + r.seconds() / 60
        : String.format(Locale.ROOT, "%.1f", r.seconds() / 60.0);
  }
}
