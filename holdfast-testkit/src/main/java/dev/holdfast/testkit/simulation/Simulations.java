package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.simulation.Shrinker.Shrunk;
import dev.holdfast.testkit.simulation.Simulation.Outcome;
import dev.holdfast.testkit.simulation.time.MachineClock;
import dev.holdfast.testkit.simulation.time.Scheduler;
import java.util.List;
import java.util.Optional;

/**
 * Runs simulations, one for each seed, and counts what they did. Thread-safe: several threads may
 * run some at the same time.
 */
public final class Simulations {

  private final Setting setting;
  private final boolean canForget;

  // Mutable state, guarded by this
  private final Stats stats = new Stats();

  /** Simulations in this setting. */
  public Simulations(Setting setting) {
    this.setting = setting;
    this.canForget = setting.store().make(new MachineClock(new Scheduler(), 0, 1)).canForget();
  }

  /**
   * Runs the simulation of a seed.
   *
   * @return the broken promise, with the shortest schedule that breaks it
   */
  public Optional<Failure> run(long seed) {
    Script script = Script.draw(seed, setting, canForget);
    Outcome outcome = Simulation.run(setting, script);
    synchronized (this) {
      stats.add(outcome.stats());
    }
    if (outcome.violations().isEmpty()) {
      return Optional.empty();
    }
    Shrunk shrunk = Shrinker.shrink(setting, script, outcome.violations().get(0));
    return Optional.of(
        new Failure(
            seed,
            script.steps().size(),
            shrunk.violation(),
            shrunk.script().steps().stream().map(Step::toString).toList()));
  }

  /** {@return what all simulations so far have done} */
  public synchronized Stats stats() {
    Stats copy = new Stats();
    copy.add(stats);
    return copy;
  }

  /** {@return what was observed in the simulation of a seed, one line for each observation} */
  public List<String> observations(long seed) {
    return Simulation.run(setting, Script.draw(seed, setting, canForget)).observations().stream()
        .map(Object::toString)
        .toList();
  }
}
