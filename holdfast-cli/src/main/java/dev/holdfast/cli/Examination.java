package dev.holdfast.cli;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What {@code holdfast doctor} finds out about a store.
 *
 * @param middle the median of some round trips
 * @param best the shortest of them
 * @param lock how long it took to take a lock and give it back; null if that failed
 * @param offset how far the store's clock is ahead of ours; null if it does not tell
 * @param error how wrong the offset may be
 * @param traits what the store promises
 * @param findings the worst first
 */
record Examination(
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

  /** Asks the store. Takes a lock of its own name for a moment, and changes nothing else. */
  static Examination of(Holdfast locks) throws InterruptedException {
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
    return new Examination(
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
      findings.add(Finding.danger("no lock can be taken: " + e.getMessage()));
      return null;
    }
  }

  private static void judge(
      Traits traits, Duration roundTrip, @Nullable Duration offset, List<Finding> findings) {
    if (!traits.spansProcesses()) {
      findings.add(
          Finding.danger(
              "this store excludes nobody outside one process, so commands never exclude each"
                  + " other; choose another"));
    }
    if (traits.consistency() == Consistency.BEST_EFFORT) {
      findings.add(
          Finding.warning(
              "a failure of the store can let two in; let the resource refuse a smaller token"));
    }
    if (roundTrip.compareTo(SLOW) > 0) {
      findings.add(
          Finding.warning(
              "the store answers slowly; give locks a ttl of many times "
                  + Durations.format(roundTrip)));
    }
    if (offset != null && offset.abs().compareTo(FAR) > 0) {
      findings.add(
          Finding.warning(
              "the clocks are far apart; locks are safe, since ttls run on the store's clock, but"
                  + " times in logs do not agree: synchronise both"));
    }
  }
}
