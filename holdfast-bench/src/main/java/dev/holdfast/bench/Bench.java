package dev.holdfast.bench;

import dev.holdfast.bench.catalogue.Catalogue;
import dev.holdfast.bench.catalogue.LibraryLogs;
import dev.holdfast.bench.report.Docs;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Results;
import dev.holdfast.bench.report.Setting;
import dev.holdfast.bench.report.Versions;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Scale;
import dev.holdfast.bench.workload.Workload;
import dev.holdfast.bench.workload.Workloads;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast bench}. */
@Command(
    name = "holdfast bench",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false,
    usageHelpWidth = 100,
    header = "Measures Holdfast beside its peers and beside the least that could do.",
    description = {
      "",
      "Starts the servers it needs, runs all contenders in turn in short slices, and writes what"
          + " it finds as Markdown (report.md), JSON (report.json) and SVG charts. Figures of a"
          + " shared machine vary, so look at the ratios: each is the median of the pairs of"
          + " slices that followed each other, with the lowest and the highest.",
      "",
    },
    footer = {
      "",
      "Examples:",
      "  holdfast bench --quick                        does everything work? a minute or two",
      "  holdfast bench --brief                        the bars of all servers, half an hour",
      "  holdfast bench --store redis                  all workloads on Redis, half an hour",
      "  holdfast bench --workload uncontended         what an acquisition costs on every server",
      "  holdfast bench --contender 'Holdfast;floor'   the two alone, to make the one faster",
      "  holdfast bench micro                          the engine alone, by JMH; takes its options",
      "",
      "The report begins with the bars that Holdfast misses, and what that means. The floor is the least"
          + " that gives exclusion, an owner check and a rising token on that server.",
    })
public final class Bench implements Callable<Integer> {

  @Option(
      names = "--store",
      split = ",",
      paramLabel = "NAME",
      description =
          "On which servers: redis, postgresql, mariadb, zookeeper, etcd, consul, memcached; SQL"
              + " servers also with -durable, -durable-0.5ms and -durable-2ms behind their names, which"
              + " wait for their disk and for a network; cli compares the command line with flock. Default:"
              + " all; with --quick, redis and postgresql.")
  private @Nullable List<String> stores;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      description = "What is measured; --list shows the names. Default: everything.")
  private @Nullable List<String> workloads;

  @Option(
      names = "--contender",
      split = ";",
      paramLabel = "NAME",
      description = "Only these, separated by semicolons; --list shows the names. Default: all.")
  private Set<String> contenders = Set.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How many pairs of slices there are. Default: 9.")
  private @Nullable Integer rounds;

  @Option(
      names = "--brief",
      description =
          "The five servers with peers and the workloads of their bars, in fewer and shorter slices:"
              + " half an hour. The report says so.")
  private boolean brief;

  @Option(names = "--quick", description = "Little of everything, to see that it works.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the report goes. Default: ${DEFAULT-VALUE}.")
  private Path out = Path.of("target", "bench");

  @Option(
      names = "--docs",
      description =
          "Measures nothing: fills docs/PERFORMANCE.md, its charts, figures.tsv and CHOOSING.md from"
              + " the report in --out.")
  private boolean docs;

  @Option(
      names = "--list",
      description = "Shows the workloads and the contenders, and measures nothing.")
  private boolean list;

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    LibraryLogs.logs();
    if (args.length > 0 && args[0].equals("micro")) {
      org.openjdk.jmh.Main.main(List.of(args).subList(1, args.length).toArray(String[]::new));
      return;
    }
    System.exit(execute(args));
  }

  static int execute(String... args) {
    return new CommandLine(new Bench()).execute(args);
  }

  @Override
  public Integer call() throws Exception {
    List<Store> chosenStores = chosenStores();
    List<Workload> chosenWorkloads = chosenWorkloads();
    if (list) {
      show();
      return 0;
    }
    if (docs) {
      Docs.fill(out.resolve("report.json"), Path.of(System.getProperty("holdfast.docs", "docs")));
      return 0;
    }
    Scale scale = scale();
    Progress progress = new Progress(System.err, Boolean.getBoolean("holdfast.terminal"));
    Results results = new Results();
    BenchRun run = new BenchRun(scale, contenders, progress, results, new HashSet<>());
    Setting setting = new Setting(scale, quick);
    for (Store store : chosenStores) {
      RunningServer site;
      try {
        site = store.start();
      } catch (Exception e) {
        progress.say(store.name() + " is left out: " + e.getMessage());
        results.add(new Results.Failure(store.name(), "all", "the server", "" + e.getMessage()));
        continue;
      }
      try (site) {
        setting.add(store, site);
        run.on(store, site, chosenWorkloads);
      }
    }
    Report report = new Report(chosenStores, chosenWorkloads, results, setting);
    progress.say("The report: " + report.write(out));
    if (!quick) {
      System.out.print(report.verdicts());
    }
    return 0;
  }

  private Scale scale() {
    Scale scale = quick ? Scale.quick() : brief ? Scale.brief() : Scale.full();
    return rounds == null ? scale : scale.withRounds(rounds);
  }

  private List<Store> chosenStores() {
    if (stores != null) {
      return stores.stream().map(Catalogue::store).toList();
    }
    if (quick) {
      return Stream.of("redis", "postgresql").map(Catalogue::store).toList();
    }
    return Catalogue.stores().stream().filter(store -> !brief || store.hasPeers()).toList();
  }

  private List<Workload> chosenWorkloads() {
    if (workloads != null) {
      return workloads.stream().map(Workloads::get).toList();
    }
    return Workloads.all().stream().filter(one -> !brief || Workloads.isInBrief(one)).toList();
  }

  private static void show() {
    System.out.println("Workloads:");
    for (Workload workload : Workloads.all()) {
      System.out.printf("  %-14s %s%n", workload.name(), workload.title());
    }
    for (Store store : Catalogue.stores()) {
      System.out.println("On " + store.name() + ":");
      store.contenders().forEach(contender -> System.out.println("  " + contender.label()));
    }
  }
}
