package dev.holdfast.torture.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.torture.judge.Figures;
import dev.holdfast.torture.judge.Judgement;
import dev.holdfast.torture.judge.Verdict;
import dev.holdfast.torture.nemesis.CausedFault;
import dev.holdfast.torture.nemesis.Happened;
import dev.holdfast.torture.nemesis.RunOptions;
import dev.holdfast.torture.store.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The figures of a run in a form for programs, and for the table of all stores.
 *
 * @param store its name
 * @param title its title
 * @param passed whether every judged promise held
 * @param seed of the faults
 * @param seconds how long it was
 * @param ttlMillis of the leases
 * @param workers how many at a time
 * @param processes how many there were in all
 * @param faults how often each was caused
 * @param notRun faults that were not caused, and why
 * @param grants by construct
 * @param writes that the ledger took
 * @param lateWrites those of them that were late
 * @param refused stale writes and entries
 * @param staleAccepted stale writes that were not refused
 * @param overlaps valid leases beside each other that nothing excuses
 * @param expectedOverlaps those that the documentation names
 * @param regressions tokens that did not rise though nothing excuses that
 * @param losses that callers learned of
 * @param lateLosses of which they learned late, or never
 * @param takeovers after kill -9 while the servers ran
 * @param takeoverMedianMillis of these
 * @param takeoverMaxMillis of these
 * @param takeoverBoundMillis ttl and late takeover
 * @param takeoversLate how many took longer than the bound
 * @param hung requests that were never decided
 * @param leftBehind claims found at the end
 * @param promises each promise
 * @param problems what else went wrong
 */
public record Result(
    String store,
    String title,
    boolean passed,
    long seed,
    long seconds,
    long ttlMillis,
    int workers,
    int processes,
    Map<String, Long> faults,
    Map<String, String> notRun,
    Map<String, Long> grants,
    long writes,
    long lateWrites,
    long refused,
    int staleAccepted,
    int overlaps,
    int expectedOverlaps,
    int regressions,
    long losses,
    int lateLosses,
    int takeovers,
    long takeoverMedianMillis,
    long takeoverMaxMillis,
    long takeoverBoundMillis,
    int takeoversLate,
    int hung,
    int leftBehind,
    List<Verdict> promises,
    List<String> problems) {

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  private static final Set<Promise> EXCLUSIONS =
      Set.of(Promise.EXCLUSION, Promise.WRITERS_ARE_ALONE, Promise.PERMITS, Promise.ONE_LEADER);

  private static final long MILLION = 1_000_000;

  /** The result of a run. */
  public static Result of(Happened happened, Judgement judgement) {
    Figures figures = judgement.figures();
    RunOptions options = happened.options();
    List<Long> takeovers = figures.calmTakeovers();
    long bound = happened.target().ttl().plus(happened.traits().expiryLag()).toMillis();
    return new Result(
        happened.target().name(),
        happened.target().title(),
        judgement.passed(),
        options.seed(),
        options.length().toSeconds(),
        happened.target().ttl().toMillis(),
        options.workers(),
        figures.workers(),
        counted(happened.faults()),
        notRun(happened),
        figures.grants().entrySet().stream()
            .collect(
                Collectors.toMap(
                    e -> e.getKey().name(), e -> e.getValue(), Long::sum, TreeMap::new)),
        figures.written(),
        figures.late(),
        figures.refused(),
        judgement.verdict(Promise.NO_STALE_WRITE).broken(),
        sum(judgement, EXCLUSIONS, false),
        sum(judgement, EXCLUSIONS, true),
        sum(
            judgement,
            Set.of(Promise.TOKENS_RISE, Promise.TOKENS_DIFFER, Promise.HAND_OFF_RISES),
            false),
        figures.losses(),
        sum(
            judgement,
            Set.of(Promise.LOSS_IN_TIME, Promise.LOSS_FIRST, Promise.NO_QUIET_LOSS),
            false),
        takeovers.size(),
        takeovers.isEmpty() ? 0 : takeovers.get(takeovers.size() / 2) / MILLION,
        takeovers.isEmpty() ? 0 : takeovers.get(takeovers.size() - 1) / MILLION,
        bound,
        (int) takeovers.stream().filter(nanos -> nanos / MILLION > bound).count(),
        figures.hung().size(),
        judgement.verdict(Promise.NOTHING_IS_LEFT).broken(),
        judgement.verdicts(),
        judgement.problems());
  }

  /** Reads what {@link #write} has written. */
  public static Result read(Path file) throws IOException {
    return GSON.fromJson(Files.readString(file), Result.class);
  }

  /** Writes it as JSON. */
  public void write(Path file) throws IOException {
    Files.writeString(file, json() + "\n");
  }

  /** {@return it as JSON} */
  public String json() {
    return GSON.toJson(this);
  }

  /** {@return how many faults were caused} */
  public long allFaults() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }

  /** {@return how many grants there were} */
  public long allGrants() {
    return grants.values().stream().mapToLong(Long::longValue).sum();
  }

  private static Map<String, Long> counted(List<CausedFault> faults) {
    return faults.stream()
        .filter(CausedFault::caused)
        .collect(
            Collectors.groupingBy(
                fault -> fault.kind().title(), TreeMap::new, Collectors.counting()));
  }

  private static Map<String, String> notRun(Happened happened) {
    Map<String, String> why = new TreeMap<>();
    happened.target().notRun().forEach((kind, reason) -> why.put(kind.title(), reason));
    if (!happened.smallDisk()) {
      why.putIfAbsent(
          FaultKind.DISK_FULL.title(),
          "a small disk needs root and the launcher ./holdfast torture");
    }
    return why;
  }

  private static int sum(Judgement judgement, Set<Promise> promises, boolean expected) {
    return promises.stream()
        .map(judgement::verdict)
        .mapToInt(verdict -> expected ? verdict.expected() : verdict.broken())
        .sum();
  }
}
