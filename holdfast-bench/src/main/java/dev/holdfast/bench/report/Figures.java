package dev.holdfast.bench.report;

import java.util.Locale;

/** Figures as people read them. */
final class Figures {

  private Figures() {}

  /** With about three digits that count. */
  static String text(double value) {
    if (!Double.isFinite(value)) {
      return "–";
    }
    double size = Math.abs(value);
    boolean whole = size >= 100 || value == Math.rint(value);
    String form = whole ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.01 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, form, value);
  }
}
