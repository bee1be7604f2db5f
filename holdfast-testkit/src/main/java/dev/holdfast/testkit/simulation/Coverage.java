package dev.holdfast.testkit.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * How often each transition of the engine's state machine was taken in this JVM: each event, and
 * each branch of what it decides. Known only where the engine was built to count them, by {@code
 * build/CountTransitions.java}.
 *
 * @param counts how often each was taken, in the order of the source; empty if nothing counts
 * @param unreachable those that no simulation takes, each with the reason
 */
record Coverage(Map<String, Long> counts, Map<String, String> unreachable) {

  private static final String COUNTER = "dev.holdfast.engine.state.Taken";
  private static final String UNREACHABLE = "unreachable-transitions.txt";

  /** What was counted so far. */
  static Coverage now() {
    return new Coverage(counted(), listed());
  }

  boolean isCounted() {
    return !counts.isEmpty();
  }

  long taken() {
    return counts.values().stream().filter(count -> count > 0).count();
  }

  /** {@return those that were not taken, and are not listed as unreachable} */
  List<String> missing() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getValue() == 0 && !unreachable.containsKey(entry.getKey()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** {@return those that are listed as unreachable, and were taken or do not exist} */
  List<String> listedWrongly() {
    TreeSet<String> wrong = new TreeSet<>(unreachable.keySet());
    wrong.removeIf(name -> counts.getOrDefault(name, 1L) == 0);
    return List.copyOf(wrong);
  }

  /** In one line, and one for each that is missing. */
  String summary() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%d of %d transitions taken, %d more that no simulation takes"
            .formatted(taken(), counts.size(), unreachable.size()));
    missing().forEach(name -> lines.add("  not taken: " + name));
    return String.join("\n", lines);
  }

  /** One line for each transition. */
  String table() {
    List<String> lines = new ArrayList<>();
    counts.forEach(
        (name, count) -> {
          String reason = unreachable.get(name);
          lines.add("%,15d  %s%s".formatted(count, name, reason == null ? "" : " -- " + reason));
        });
    return String.join("\n", lines);
  }

  private static Map<String, Long> counted() {
    Map<String, Long> counts = new LinkedHashMap<>();
    try {
      Class<?> counter = Class.forName(COUNTER);
      String[] names = (String[]) counter.getField("NAMES").get(null);
      long[] taken = (long[]) counter.getField("COUNTS").get(null);
      for (int i = 0; i < names.length; i++) {
        counts.put(names[i], taken[i]);
      }
    } catch (ClassNotFoundException ordinary) {
      return Map.of();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    return counts;
  }

  /** A line is a transition and the reason, with a bar between them. */
  private static Map<String, String> listed() {
    Map<String, String> reasons = new LinkedHashMap<>();
    try (InputStream in = Coverage.class.getResourceAsStream(UNREACHABLE)) {
      if (in == null) {
        throw new IllegalStateException(UNREACHABLE + " is missing from the jar");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      text.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(" -- ", 2))
          .forEach(parts -> reasons.put(parts[0], parts[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return reasons;
  }
}
