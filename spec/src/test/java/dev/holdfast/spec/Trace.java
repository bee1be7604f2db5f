package dev.holdfast.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A refutation, short enough to be read: a line for each step, with what it changed. */
final class Trace {

  private static final Pattern STEP = Pattern.compile("State (\\d+): <(\\w+).*");
  private static final String END = " states generated";

  private Trace() {}

  /** The steps in what TLC has said; empty if it has refuted nothing. */
  static List<String> shortened(List<String> output) {
    List<String> steps = new ArrayList<>();
    StringBuilder step = new StringBuilder();
    for (String line : output) {
      Matcher begins = STEP.matcher(line);
      if (begins.matches() || line.contains(END)) {
        add(step, steps);
        step.setLength(0);
      }
      if (begins.matches()) {
        step.append("%2s %s".formatted(begins.group(1), begins.group(2)));
      } else if (step.length() > 0) {
        step.append(' ').append(line.strip());
      }
    }
    return steps;
  }

  // The first state is the same in all traces: nothing has happened.
  private static void add(StringBuilder step, List<String> steps) {
    if (step.length() > 0 && !step.toString().startsWith(" 1 ")) {
      steps.add(step.toString().replaceAll("\\s*/\\\\ ", "; ").strip());
    }
  }
}
