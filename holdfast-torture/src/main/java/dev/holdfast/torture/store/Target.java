package dev.holdfast.torture.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * A store that can be tortured.
 *
 * @param name on the command line
 * @param title in reports
 * @param ttl of the leases
 * @param starter starts its servers
 * @param faults what can be done to it
 * @param notRun what cannot, and why
 * @param forgets faults after which it may have forgotten grants, or ended them early, as its
 *     documentation says: why
 * @param splits those of them after which two masters may grant beside each other for a while
 */
public record Target(
    String name,
    String title,
    Duration ttl,
    Starter starter,
    Set<FaultKind> faults,
    Map<FaultKind, String> notRun,
    Map<FaultKind, String> forgets,
    Set<FaultKind> splits) {

  /** Starts servers. */
  public interface Starter {
    /**
     * Starts them.
     *
     * @param disk an empty folder; full at times, if the machine allows that
     * @param ttl of the leases
     */
    Site start(Path disk, Duration ttl) throws Exception;
  }

  /** {@return the same with ttls that are longer by this factor} */
  public Target slower(int factor) {
    return new Target(
        name, title, ttl.multipliedBy(factor), starter, faults, notRun, forgets, splits);
  }
}
