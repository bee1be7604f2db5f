package dev.holdfast.cli.command;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.cli.output.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What {@code holdfast doctor} measures and finds.
 *
 * @param middle the median of some round trips
 * @param best the shortest of them
 * @param lock how long it took to acquire and release a lock; null if that failed
 * @param offset how far the store's clock is ahead of ours; null if the store does not report it
 * @param error how wrong the offset may be
 * @param traits what the store promises
 * @param findings the worst first
 */
record StoreExamination(
    Duration middle,
    Duration best,
    @Nullable Duration lock,
    @Nullable Duration offset,
    Duration error,
    Traits traits,
    List<Finding> findings) {

  private static final int ROUND_TRIPS = 9;
  private static final Duration SLOW = Duration.ofSeconds(1);
  private static final Duration FAR = Duration.ofMinutes(1);

  /** Measures the store. Acquires a lock with a new name for a moment, and changes nothing else. */
  static StoreExamination of(Holdfast locks) throws InterruptedException {
    String name = "holdfast-doctor/" + UUID.randomUUID();
    List<Duration> trips = new ArrayList<>();
    for (int i = 0; i <= ROUND_TRIPS; i++) {
      long started = System.nanoTime();
      locks.inspect(name);
      trips.add(Duration.ofNanos(System.nanoTime() - started));
    }
    trips.remove(0); // it loaded classes
    Collections.sort(trips);
    List<Finding> findings = new ArrayList<>();
    Duration lock = takeALock(locks, name, findings);
    Instant before = Instant.now();
    Diagnosis diagnosis = locks.diagnose();
    Duration error = Duration.between(before, Instant.now()).abs().dividedBy(2);
    Instant time = diagnosis.time();
    Duration offset = time == null ? null : Duration.between(before.plus(error), time);
    findings.addAll(diagnosis.findings());
    judge(locks.traits(), trips.get(ROUND_TRIPS / 2), offset, findings);
    findings.sort((a, b) -> b.severity().compareTo(a.severity()));
    return new StoreExamination(
        trips.get(ROUND_TRIPS / 2),
        trips.get(0),
        lock,
        offset,
        error,
        locks.traits(),
        List.copyOf(findings));
  }

  /** The severity of the worst finding. */
  Severity worst() {
    return findings.isEmpty() ? Severity.OK : findings.get(0).severity();
  }

  private static @Nullable Duration takeALock(Holdfast locks, String name, List<Finding> findings)
      throws InterruptedException {
    Traits traits = locks.traits();
    Duration ttl = LockOptions.defaults().ttl();
    ttl = ttl.compareTo(traits.minTtl()) < 0 ? traits.minTtl() : ttl;
    ttl = ttl.compareTo(traits.maxTtl()) > 0 ? traits.maxTtl() : ttl;
    LockOptions options = LockOptions.defaults().ttl(ttl);
    try {
      locks.lock(name, options).acquire(ttl).release(); // loads classes
      long started = System.nanoTime();
      locks.lock(name, options).acquire(ttl).release();
      return Duration.ofNanos(System.nanoTime() - started);
    } catch (StoreException e) {
      findings.add(Finding.danger("no lock could be acquired: " + e.getMessage()));
      return null;
    }
  }

  private static void judge(
      Traits traits, Duration roundTrip, @Nullable Duration offset, List<Finding> findings) {
    if (!traits.spansProcesses()) {
      findings.add(
          Finding.danger(
              "this store works within one process, so commands do not exclude each other; choose"
                  + " another"));
    }
    if (traits.consistency() == Consistency.BEST_EFFORT) {
      findings.add(
          Finding.warning(
              "after a failure of the store two holders are possible; have the resource reject"
                  + " smaller tokens"));
    }
    if (roundTrip.compareTo(SLOW) > 0) {
      findings.add(
          Finding.warning(
              "the store answers slowly; give locks a ttl much longer than "
                  + Durations.format(roundTrip)));
    }
    if (offset != null && offset.abs().compareTo(FAR) > 0) {
      findings.add(
          Finding.warning(
              "the clocks are far apart; locks are safe, since ttls run on the store's clock, but"
                  + " timestamps in logs differ: synchronise both"));
    }
  }
}
