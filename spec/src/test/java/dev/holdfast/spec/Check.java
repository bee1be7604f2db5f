package dev.holdfast.spec;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One run of the model checker.
 *
 * @param module the specification, a file {@code .tla}
 * @param configuration its constants and properties, a file {@code .cfg}
 * @param bug the fault that is switched on, or "none"
 * @param refutes the property that must be violated; empty where all must hold
 * @param changes constants that differ from those in the file
 */
record Check(
    String module, String configuration, String bug, String refutes, Map<String, String> changes) {

  static Check holds(String module, String configuration) {
    return new Check(module, configuration, "none", "", Map.of());
  }

  static Check mutant(String bug, String refutes, String module, String configuration) {
    return new Check(module, configuration, bug, refutes, Map.of());
  }

  /** The same with another constant. */
  Check with(String constant, String value) {
    Map<String, String> more = new TreeMap<>(changes);
    more.put(constant, value);
    return new Check(module, configuration, bug, refutes, more);
  }

  boolean isMutant() {
    return !refutes.isEmpty();
  }

  /**
   * The configuration as TLC reads it: the file with the changes, and only what must be refuted.
   */
  String configured(String file) {
    StringBuilder text = new StringBuilder();
    for (String line : file.lines().toList()) {
      String name = line.strip().split(" ", 2)[0];
      if (name.equals("Bug")) {
        text.append("  Bug = \"").append(bug).append("\"\n");
      } else if (changes.containsKey(name)) {
        text.append("  %s = %s%n".formatted(name, changes.get(name)));
      } else if (!isMutant() || !(name.equals("INVARIANTS") || name.equals("PROPERTIES"))) {
        text.append(line).append('\n');
      } else if (List.of(line.split(" ")).contains(refutes)) {
        text.append(name).append(' ').append(refutes).append('\n');
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    String name = configuration + (isMutant() ? "-" + bug : "");
    return changes.isEmpty() || isMutant() ? name : name + " " + changes;
  }
}
