package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of short lives under faults; each is checked for exclusion and the order of tokens. To
 * live one again: {@code -Dholdfast.seed=N}.
 */
class RandomRunsIT {

  /** More of them: {@code -Dholdfast.runs=N} in each batch. */
  private static final int RUNS = Integer.getInteger("holdfast.runs", 500);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void no_run_breaks_exclusion_or_the_order_of_tokens_and_all_is_cleaned_up(int batch) {
    Long replay = Long.getLong("holdfast.seed");
    long first = replay != null ? replay : (long) batch * RUNS + 1;
    long last = replay != null ? replay : first + RUNS - 1;
    long grants = 0;
    for (long seed = first; seed <= last; seed++) {
      Simulation simulation = new Simulation(seed, new MemoryFixture()).run();
      simulation.check();
      assertThat(simulation.isFree()).as("seed %s: all is cleaned up", seed).isTrue();
      grants += simulation.history().grants();
    }
    assertThat(grants).as("grants in all runs").isGreaterThan(3 * (last - first + 1));
  }

  @Test
  void the_same_seed_gives_the_same_run() {
    for (long seed = 1; seed <= 20; seed++) {
      List<String> once = lines(seed);

      assertThat(lines(seed)).as("seed %s", seed).isEqualTo(once);
    }
  }

  private static List<String> lines(long seed) {
    return new Simulation(seed, new MemoryFixture())
        .run().history().events().stream().map(History.Event::toString).toList();
  }
}
