package dev.holdfast.torture.nemesis;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import dev.holdfast.torture.ledger.FencedLedger;
import dev.holdfast.torture.store.FaultKind.Lane;
import dev.holdfast.torture.store.Site;
import dev.holdfast.torture.store.Target;
import dev.holdfast.torture.worker.LockNames;
import dev.holdfast.torture.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One store in the hands of workers and nemesis, from the start of its servers to their end. */
public final class StoreRun {

  private static final String NEMESIS = "nemesis";
  private static final String UNTIL = "until";

  /** When the machine is busy, the last waits and releases may take several time-outs. */
  private static final Duration TO_END = Duration.ofSeconds(150);

  private static final Duration LOOK = Duration.ofMillis(500);

  private final RunOptions options;
  private final Target target;
  private final Path history;
  private final Path work;
  private final Consumer<String> progress;

  // Mutable state
  private final List<String> problems = new ArrayList<>();

  /**
   * A run that has not begun.
   *
   * @param folder for its history, empty
   * @param progress hears of each step and fault
   */
  public StoreRun(RunOptions options, Target target, Path folder, Consumer<String> progress)
      throws IOException {
    this.options = options;
    this.target = target;
    this.history = Files.createDirectories(folder.resolve("history"));
    this.work = Files.createDirectories(folder.resolve("work"));
    this.progress = progress;
  }

  /** Runs it to its end. */
  public Happened run() throws Exception {
    String temporary = System.getProperty("java.io.tmpdir");
    try (Disk disk = Disk.at(work.resolve("disk"))) {
      progress.accept("starting " + target.title());
      System.setProperty(
          "java.io.tmpdir", disk.folder().toString()); // servers keep their data there
      try (Site site = target.starter().start(disk.folder(), target.ttl())) {
        return on(site, disk);
      }
    } finally {
      System.setProperty("java.io.tmpdir", temporary);
    }
  }

  private Happened on(Site site, Disk disk) throws Exception {
    List<WorkerPlace> workers = new ArrayList<>();
    try (HistoryFile nemesisHistory = HistoryFile.create(history, NEMESIS);
        FencedLedger ledger = FencedLedger.open(history);
        Holdfast operator = connect(site.url())) {
      for (int i = 0; i < options.workers(); i++) {
        workers.add(worker(i + 1, Network.to(site), ledger, nemesisHistory));
      }
      progress.accept("starting " + workers.size() + " workers");
      for (WorkerPlace worker : workers) {
        worker.start();
      }
      for (WorkerPlace worker : workers) {
        if (!worker.isReady(TO_END)) {
          throw new IllegalStateException(worker.name() + " cannot reach " + target.title());
        }
      }
      long start = System.nanoTime();
      long until = start + options.length().toNanos();
      tell(until);
      List<CausedFault> faults = tortured(site, disk, workers, operator, nemesisHistory, start);
      progress.accept("all is calm; the workers come to their end");
      Causes.sleepUntil(until);
      for (WorkerPlace worker : workers) {
        worker.awaitEnd(TO_END).ifPresent(problems::add);
      }
      Traits traits = operator.traits();
      long ended = System.nanoTime();
      lookForClaims(operator, traits, nemesisHistory);
      return new Happened(target, options, traits, disk.isSmall(), faults, problems, start, ended);
    } finally {
      workers.forEach(WorkerPlace::close);
    }
  }

  /** As soon as the servers answer: on a busy machine they may need a while after their start. */
  private static Holdfast connect(String url) throws InterruptedException {
    long deadline = System.nanoTime() + TO_END.toNanos();
    while (true) {
      try {
        return Holdfast.connect(url);
      } catch (StoreException noAnswer) {
        if (System.nanoTime() - deadline > 0) {
          throw noAnswer;
        }
        TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
      }
    }
  }

  /** In one step, so that no worker reads a part of it. */
  private void tell(long until) throws IOException {
    Path draft = Files.writeString(work.resolve("until-draft"), Long.toString(until));
    Files.move(draft, work.resolve(UNTIL), StandardCopyOption.ATOMIC_MOVE);
  }

  private WorkerPlace worker(
      int number, Network network, FencedLedger ledger, HistoryFile nemesisHistory) {
    WorkerSettings settings =
        new WorkerSettings(
            "",
            "",
            history,
            ledger.port(),
            target.ttl(),
            work.resolve(UNTIL),
            options.seed(),
            options.plant());
    return new WorkerPlace(number, network, settings, work, nemesisHistory);
  }

  private List<CausedFault> tortured(
      Site site,
      Disk disk,
      List<WorkerPlace> workers,
      Holdfast operator,
      HistoryFile nemesisHistory,
      long start)
      throws InterruptedException {
    List<PlannedFault> plan = options.plan(target, disk.isSmall());
    int[] count = {0};
    Nemesis nemesis =
        new Nemesis(
            start,
            fault ->
                progress.accept(
                    "fault %d of %d: %s %s"
                        .formatted(++count[0], plan.size(), fault.kind().title(), fault.victim())));
    for (int i = 0; i < workers.size(); i++) {
      int number = i;
      nemesis.begin(
          "nemesis-w" + (i + 1),
          plan.stream()
              .filter(f -> f.kind().lane() == Lane.WORKER && f.choice() == number)
              .toList(),
          new WorkerFaults(workers.get(i), nemesisHistory));
    }
    nemesis.begin(
        "nemesis-operator",
        plan.stream().filter(f -> f.kind().lane() == Lane.OPERATOR).toList(),
        new OperatorFaults(operator, nemesisHistory));
    ServerFaults servers = new ServerFaults(site, disk, target.ttl());
    nemesis.begin(
        "nemesis-servers",
        plan.stream().filter(f -> f.kind().lane() == Lane.SERVER).toList(),
        new ServerLane(target, servers, site.settle(), nemesisHistory));
    return nemesis.await();
  }

  /** A worker that died late may have left claims that still live; what outlives them is found. */
  private void lookForClaims(Holdfast operator, Traits traits, HistoryFile nemesisHistory)
      throws InterruptedException {
    progress.accept("looking for claims that were left behind");
    Duration patience =
        target.ttl().multipliedBy(2).plus(traits.expiryLag()).plus(Duration.ofSeconds(20));
    long deadline = System.nanoTime() + patience.toNanos();
    List<LockInfo> left = claims(operator);
    while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
      left = claims(operator);
    }
    for (LockInfo info : left) {
      nemesisHistory.append(NEMESIS, What.FOUND, info.name(), info.toString());
    }
  }

  private static List<LockInfo> claims(Holdfast operator) {
    List<LockInfo> found = new ArrayList<>();
    for (String name : LockNames.ALL) {
      try {
        LockInfo info = operator.inspect(name);
        if (info.isHeld() || !info.waiters().isEmpty()) {
          found.add(info);
        }
      } catch (StoreException noAnswer) {
        found.add(LockInfo.free(name));
      }
    }
    return found;
  }
}
