package dev.holdfast.tidy;

import static java.util.regex.Pattern.compile;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the main sources of a module fall into packages, and which of these know each other. */
final class Packages {

  private static final int FILES = 25;

  /** The root of the API: what users import is one package; it may shrink, not grow. */
  static final int API_FILES = 51;

  private static final Map<String, Integer> LARGER =
      Map.of("holdfast-core/dev.holdfast", API_FILES);

  /**
   * The factories make what their users see as interfaces only. The contracts nest the rules, which
   * use the kit's tools, and both stay where users of the kit find them.
   */
  private static final Set<String> EXCEPTED =
      Set.of(
          "holdfast-core/src/main/java/dev/holdfast/Holdfast.java",
          "holdfast-core/src/main/java/dev/holdfast/Stores.java",
          "holdfast-testkit/src/main/java/dev/holdfast/testkit/EngineContract.java",
          "holdfast-testkit/src/main/java/dev/holdfast/testkit/LockStoreContract.java");

  private static final Pattern OURS = compile("\\bdev\\.holdfast(?:\\.[a-z]\\w*)*");
  private static final Pattern OWN_NAME = compile("(?m)^package .*$");

  private final List<Source> sources;
  private final Map<String, List<Source>> files; // by module and package

  Packages(List<Source> all) {
    sources =
        all.stream()
            .filter(source -> source.isJava() && source.path().contains("src/main/java/"))
            .filter(source -> !source.fileName().endsWith("-info.java"))
            .toList();
    files =
        sources.stream()
            .collect(
                Collectors.groupingBy(
                    source -> source.module() + "/" + source.packageName(),
                    TreeMap::new,
                    Collectors.toList()));
  }

  Stream<String> tooLarge() {
    return files.entrySet().stream()
        .filter(entry -> entry.getValue().size() > LARGER.getOrDefault(entry.getKey(), FILES))
        .map(
            entry ->
                entry.getValue().get(0).folder()
                    + ": "
                    + entry.getValue().size()
                    + " files, more than "
                    + LARGER.getOrDefault(entry.getKey(), FILES)
                    + ": split it into the parts that it has");
  }

  /** The shortest cycle through each package that is part of one, with a file for each step. */
  Stream<String> cycles() {
    Map<String, Map<String, String>> edges = edges();
    Map<Set<String>, String> cycles = new LinkedHashMap<>();
    for (String start : edges.keySet()) {
      List<String> way = wayBack(edges, start);
      if (!way.isEmpty()) {
        cycles.putIfAbsent(new TreeSet<>(way), describe(edges, way));
      }
    }
    return cycles.values().stream();
  }

  private static String describe(Map<String, Map<String, String>> edges, List<String> way) {
    StringJoiner steps = new StringJoiner(", ");
    for (int i = 0; i + 1 < way.size(); i++) {
      steps.add(edges.get(way.get(i)).get(way.get(i + 1)) + ": uses " + way.get(i + 1));
    }
    return steps + ": these packages form a cycle; make one way an interface, or leave it out";
  }

  private Map<String, Map<String, String>> edges() {
    Map<String, Map<String, String>> edges = new TreeMap<>();
    for (Source source : sources) {
      if (EXCEPTED.contains(source.path())) {
        continue;
      }
      String own = source.module() + "/" + source.packageName();
      String code = OWN_NAME.matcher(source.code()).replaceAll("");
      OURS.matcher(code)
          .results()
          .map(match -> known(source.module(), match.group()))
          .filter(name -> !name.isEmpty() && !name.equals(own))
          .forEach(
              name ->
                  edges
                      .computeIfAbsent(own, key -> new TreeMap<>())
                      .putIfAbsent(name, source.path()));
    }
    return edges;
  }

  /** The package of this module that a qualified name starts with; empty if there is none. */
  private String known(String module, String name) {
    String candidate = name;
    while (candidate.contains(".")) {
      if (files.containsKey(module + "/" + candidate)) {
        return module + "/" + candidate;
      }
      candidate = candidate.substring(0, candidate.lastIndexOf('.'));
    }
    return "";
  }

  /** The shortest way from a package to itself; empty if there is none. */
  private static List<String> wayBack(Map<String, Map<String, String>> edges, String start) {
    Set<String> reached = new TreeSet<>();
    Deque<List<String>> ways = new ArrayDeque<>(List.of(List.of(start)));
    while (!ways.isEmpty()) {
      List<String> way = ways.remove();
      for (String next : edges.getOrDefault(way.get(way.size() - 1), Map.of()).keySet()) {
        List<String> longer = Stream.concat(way.stream(), Stream.of(next)).toList();
        if (next.equals(start)) {
          return longer;
        }
        if (reached.add(next)) {
          ways.add(longer);
        }
      }
    }
    return List.of();
  }

  /** A store that needs another one's code. */
  Stream<String> needsAnotherStore() {
    Map<String, String> stores =
        files.keySet().stream()
            .filter(name -> name.startsWith("stores/"))
            .collect(
                Collectors.toMap(
                    name -> name.substring(name.lastIndexOf('/') + 1),
                    name -> name.substring(0, name.lastIndexOf('/'))));
    return sources.stream()
        .filter(source -> source.path().startsWith("stores/"))
        .flatMap(
            source ->
                source
                    .matcher(OURS)
                    .results()
                    .filter(
                        match ->
                            !stores
                                .getOrDefault(match.group(), source.module())
                                .equals(source.module()))
                    .map(
                        match ->
                            source.at(match.start())
                                + ": '"
                                + match.group()
                                + "' is another store: make what both use part of"
                                + " dev.holdfast.spi.support"));
  }
}
