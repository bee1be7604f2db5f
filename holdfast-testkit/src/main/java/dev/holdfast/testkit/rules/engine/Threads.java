package dev.holdfast.testkit.rules.engine;

import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What all threads are doing: the evidence when something does not come to pass. */
final class Threads {

  private Threads() {}

  static String dump() {
    return Thread.getAllStackTraces().entrySet().stream()
        .sorted(Comparator.comparing(of -> of.getKey().getName()))
        .map(Threads::describe)
        .collect(Collectors.joining("\n\n"));
  }

  private static String describe(Map.Entry<Thread, StackTraceElement[]> of) {
    Thread thread = of.getKey();
    return Stream.of(of.getValue())
        .map(frame -> "\n\tat " + frame)
        .collect(Collectors.joining("", "\"" + thread.getName() + "\" " + thread.getState(), ""));
  }
}
