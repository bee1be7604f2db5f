package dev.holdfast.torture;

import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.torture.history.HistoryFile;
import dev.holdfast.torture.judge.Judgement;
import dev.holdfast.torture.nemesis.Happened;
import dev.holdfast.torture.nemesis.RunOptions;
import dev.holdfast.torture.nemesis.StoreRun;
import dev.holdfast.torture.report.Report;
import dev.holdfast.torture.report.Result;
import dev.holdfast.torture.report.Table;
import dev.holdfast.torture.store.Catalogue;
import dev.holdfast.torture.store.FaultKind;
import dev.holdfast.torture.store.Target;
import dev.holdfast.torture.worker.Plant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast torture}. */
@Command(
    name = "holdfast torture",
    mixinStandardHelpOptions = true,
    version = "built from the sources beside it",
    sortOptions = false,
    usageHelpWidth = 100,
    header = "Tortures a store: worker processes, faults from a seed, one judge.",
    description = {
      "",
      "Starts the store's real servers and four workers that use every kind of lock. A nemesis"
          + " pauses and kills workers and servers, cuts, delays and half-opens connections, sets"
          + " clocks, fills disks and breaks locks. Each process appends what it does and believes"
          + " to a history by one clock; in the end the history is compared with every promise of"
          + " docs/GUARANTEES.md.",
      "",
    },
    footer = {
      "",
      "Examples:",
      "  holdfast torture --store redis --minutes 10      one store",
      "  holdfast torture --store etcd-3 --seed 4711      the same faults again",
      "  holdfast torture --all --minutes-each 6          every store, one after the other",
      "  holdfast torture --all --minutes-each 6 --resume   go on after an interruption",
      "",
      "For each store the folder has report.md, result.json, faults.jsonl, the history, and"
          + " timeline-*.svg: who held which lock, when, with which token, under which fault.",
      "",
      "Exit status: 0 if every judged promise held, 1 if one was broken, 2 for wrong arguments.",
    })
public final class Torture implements Callable<Integer> {

  private static final int WORKERS = 4;

  // Referenced, because a logger that is garbage-collected forgets its level.
  private static final Logger ROOT = Logger.getLogger("");

  @Option(
      names = "--store",
      split = ",",
      paramLabel = "NAME",
      description = "Which stores; --list shows the names.")
  private List<String> stores = List.of();

  @Option(names = "--all", description = "Every store, one after the other.")
  private boolean all;

  @Option(
      names = {"--minutes", "--minutes-each"},
      paramLabel = "M",
      description = "How long, for each store. Default: ${DEFAULT-VALUE}.")
  private double minutes = 10;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Of the faults and of the workers' choices. The same seed plans the same faults at the"
              + " same times, as far as real processes keep to a plan. Default: a random one.")
  private @Nullable Long seed;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "How many processes. Default: ${DEFAULT-VALUE}.")
  private int workers = WORKERS;

  @Option(
      names = "--slower",
      paramLabel = "N",
      description =
          "Makes ttls and faults longer by this factor, for a busy machine. Default: ${DEFAULT-VALUE}.")
  private int slower = 1;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the reports go. Default: ${DEFAULT-VALUE}.")
  private Path out = Path.of("target", "torture");

  @Option(
      names = "--resume",
      description = "Keeps the results of stores that the folder has already.")
  private boolean resume;

  @Option(names = "--json", description = "Prints the results as JSON, not as a table.")
  private boolean json;

  @Option(names = "--list", description = "Shows the stores and their faults, and does nothing.")
  private boolean list;

  @Option(
      names = "--plant",
      hidden = true,
      description = "What workers do wrong on purpose, to see that it is found.")
  private Plant plant = Plant.NONE;

  /** Runs it. */
  public static void main(String[] args) {
    ROOT.setLevel(Level.OFF); // failures of client libraries are what this is about
    System.exit(execute(args));
  }

  static int execute(String... args) {
    return new CommandLine(new Torture()).setCaseInsensitiveEnumValuesAllowed(true).execute(args);
  }

  @Override
  public Integer call() throws Exception {
    if (list) {
      show();
      return 0;
    }
    List<Target> targets = targets();
    long chosen = seed != null ? seed : new Random().nextInt(1_000_000);
    RunOptions options =
        new RunOptions(chosen, Duration.ofMillis((long) (minutes * 60_000)), workers, plant);
    List<Result> results = new ArrayList<>();
    List<String> notRun = new ArrayList<>();
    try (Progress progress = new Progress(System.err, Boolean.getBoolean("holdfast.terminal"))) {
      for (Target target : targets) {
        try {
          results.add(result(target, options, progress));
        } catch (Exception e) {
          notRun.add(target.name() + " could not be run: " + e.getMessage());
          progress.say(notRun.get(notRun.size() - 1));
        }
      }
    }
    String table =
        Table.of(results) + String.join("", notRun.stream().map("%n- %s%n"::formatted).toList());
    Files.createDirectories(out);
    Files.writeString(out.resolve("table.md"), table);
    System.out.print(
        json
            ? "[" + String.join(",\n", results.stream().map(Result::json).toList()) + "]\n"
            : table);
    return notRun.isEmpty() && results.stream().allMatch(Result::passed) ? 0 : 1;
  }

  private List<Target> targets() {
    try {
      if (all) {
        return slowed(Catalogue.all());
      }
      if (stores.isEmpty()) {
        throw new IllegalArgumentException("name a store with --store, or --all of them");
      }
      return slowed(stores.stream().map(Catalogue::get).toList());
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(
          new CommandLine(this), String.valueOf(e.getMessage()));
    }
  }

  private List<Target> slowed(List<Target> targets) {
    return targets.stream().map(target -> target.slower(slower)).toList();
  }

  private Result result(Target target, RunOptions options, Progress progress) throws Exception {
    Path folder = out.resolve(target.name()).toAbsolutePath();
    Path file = folder.resolve(Report.RESULT);
    if (resume && Files.exists(file)) {
      progress.say(target.name() + ": done before");
      return Result.read(file);
    }
    empty(folder);
    progress.begin("%s, %s min, seed %d".formatted(target.title(), minutes, options.seed()));
    Happened happened = new StoreRun(options, target, folder, progress::step).run();
    progress.step("comparing the history with the promises");
    List<Observation> observations = HistoryFile.readAll(folder.resolve("history"));
    Result result =
        Report.write(folder, happened, Judgement.of(observations, happened), observations);
    progress.say(
        "%s: %s, %d faults, %d grants; %s"
            .formatted(
                target.name(),
                result.passed() ? "held" : "BROKEN",
                result.allFaults(),
                result.allGrants(),
                folder.resolve("report.md")));
    return result;
  }

  private static void empty(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(Torture::delete);
      }
    }
    Files.createDirectories(folder);
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove an old run", e);
    }
  }

  private static void show() {
    for (Target target : Catalogue.all()) {
      System.out.printf("%-15s %s%n", target.name(), target.title());
      for (FaultKind kind : FaultKind.values()) {
        String why = target.notRun().get(kind);
        System.out.printf("    %-18s %s%n", kind.title(), why == null ? "yes" : "not run: " + why);
      }
    }
    System.out.println("memory: has no other processes, so it is not tortured.");
  }
}
