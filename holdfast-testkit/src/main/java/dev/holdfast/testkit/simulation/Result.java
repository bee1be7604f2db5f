package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a campaign came to, for people and for programs. */
record Result(Stats stats, double processorSeconds, Coverage coverage, Optional<Failure> failure) {

  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%,d simulated hours, %,d grants, %,d requests; %.1f hours per processor second"
            .formatted(stats.simulations(), stats.grants(), stats.requests(), speed()));
    List<String> grants = new ArrayList<>();
    for (Construct construct : Construct.values()) {
      if (stats.grants(construct) > 0) {
        grants.add("%s %,d".formatted(construct, stats.grants(construct)));
      }
    }
    grants.add("of kept claims %,d".formatted(stats.keptGrants()));
    lines.add("granted:  " + String.join(", ", grants));
    List<String> events = new ArrayList<>();
    new TreeMap<>(stats.events()).forEach((name, n) -> events.add("%s %,d".formatted(name, n)));
    lines.add("happened: " + String.join(", ", events));
    if (coverage.isCounted()) {
      lines.add(coverage.summary());
    }
    lines.add(
        failure
            .map(it -> it + "\nTo run it again: holdfast simulate --seed " + it.seed())
            .orElse("Every promise was kept."));
    return String.join("\n", lines);
  }

  private double speed() {
    return processorSeconds == 0 ? 0 : stats.simulations() / processorSeconds;
  }

  String json() {
    Map<String, Long> grants = new TreeMap<>();
    for (Construct construct : Construct.values()) {
      if (stats.grants(construct) > 0) {
        grants.put(construct.name(), stats.grants(construct));
      }
    }
    return """
    {"hours": %d, "grants": %s, "keptGrants": %d, "requests": %d, "processorSeconds": %.1f, "events": %s, "transitions": %s, "failure": %s}\
    """
        .formatted(
            stats.simulations(),
            object(grants),
            stats.keptGrants(),
            stats.requests(),
            processorSeconds,
            object(new TreeMap<>(stats.events())),
            object(coverage.counts()),
            failure.map(Result::json).orElse("null"));
  }

  private static String json(Failure failure) {
    Violation violation = failure.violation();
    return """
    {"seed": %d, "promise": "%s", "sentence": %s, "what": %s, "observations": %s, "schedule": %s}\
    """
        .formatted(
            failure.seed(),
            violation.promise(),
            quote(violation.promise().sentence()),
            quote(violation.what()),
            array(violation.observations().stream().map(Observation::line).toList()),
            array(failure.schedule()));
  }

  private static String object(Map<String, Long> counts) {
    List<String> members = new ArrayList<>();
    counts.forEach((name, count) -> members.add(quote(name) + ": " + count));
    return "{" + String.join(", ", members) + "}";
  }

  private static String array(List<String> lines) {
    return "[" + String.join(", ", lines.stream().map(Result::quote).toList()) + "]";
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
