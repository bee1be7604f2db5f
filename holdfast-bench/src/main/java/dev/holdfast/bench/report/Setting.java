package dev.holdfast.bench.report;

import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;

/** On what machine, with what versions and when. */
public final class Setting {

  static final String COMMIT = "commit";
  static final String GENERATION = "generation";

  private final Map<String, String> facts;

  /** Of an earlier run. */
  Setting(Map<String, String> facts) {
    this.facts = facts;
  }

  /** Looks at the machine. */
  public Setting(Scale scale, boolean quick) {
    this(new LinkedHashMap<>());
    facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    facts.put(COMMIT, System.getProperty("holdfast.commit", "unknown"));
    facts.put(GENERATION, "" + Generation.NUMBER);
    facts.put(
        "processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
    facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put(
        "Java",
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
    facts.put("libraries", String.join(", ", new Versions().getVersion()));
    facts.put(
        "slices",
        scale.rounds()
            + " rounds of "
            + scale.slice().toMillis()
            + " ms"
            + (scale.isBrief() ? "; a brief run, with fewer and shorter slices" : "")
            + (quick ? "; a quick run, whose figures mean little" : ""));
  }

  /** Adds a server. */
  public void add(Store store, RunningServer site) {
    facts.put(store.title(), site.version());
  }

  /** All that is known. */
  public Map<String, String> facts() {
    return facts;
  }

  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.replaceFirst(".*: *", ""))
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
