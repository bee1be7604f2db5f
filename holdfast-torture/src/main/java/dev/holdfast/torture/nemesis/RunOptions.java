package dev.holdfast.torture.nemesis;

import dev.holdfast.torture.store.FaultKind;
import dev.holdfast.torture.store.Target;
import dev.holdfast.torture.worker.Plant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How a store is tortured.
 *
 * @param seed of the faults and of the workers' choices
 * @param length from the first fault to the last request
 * @param workers how many processes
 * @param plant what the workers do wrong on purpose
 */
public record RunOptions(long seed, Duration length, int workers, Plant plant) {

  /** The faults of a run. */
  public List<PlannedFault> plan(Target target, boolean smallDisk) {
    Set<FaultKind> kinds = EnumSet.copyOf(target.faults());
    if (!smallDisk) {
      kinds.remove(FaultKind.DISK_FULL);
    }
    return Plan.of(seed, kinds, target.ttl(), length, workers);
  }
}
