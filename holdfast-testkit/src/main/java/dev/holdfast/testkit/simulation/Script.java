package dev.holdfast.testkit.simulation;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What is to happen in one simulation.
 *
 * @param seed what it was drawn from, and what the rest is drawn from while it runs
 * @param steps in the order of time
 */
record Script(long seed, List<Step> steps) {

  static final String ELECTION = "election";

  /** What the threads of clients take by blocking calls: a mutex, and a read-write lock. */
  static final String OWN = "own";

  static final String OWN_PAGES = "own pages";

  /** All that are used. */
  static final List<String> LOCKS =
      List.of("red", "green", "blue", "black", OWN, OWN_PAGES, "document", "gateway", ELECTION);

  Script {
    steps = List.copyOf(steps);
  }

  /** The same with these steps alone. */
  Script of(List<Step> some) {
    return new Script(seed, some);
  }

  /** Draws one. */
  static Script draw(long seed, Setting setting, boolean canForget) {
    return new ScriptWriter(new SplittableRandom(seed), setting, canForget).write(seed);
  }

  /** {@return how fast the clocks of this client run} */
  double rate(Setting setting, int client) {
    SplittableRandom random = new SplittableRandom(seed ^ (client + 1) * 0x9E3779B97F4A7C15L);
    return switch (random.nextInt(4)) {
      case 0 -> 1;
      case 1 -> setting.slowest();
      default -> random.nextDouble(setting.slowest(), Math.max(setting.fastest(), 1.0001));
    };
  }
}
