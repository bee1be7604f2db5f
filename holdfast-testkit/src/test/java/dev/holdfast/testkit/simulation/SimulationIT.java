package dev.holdfast.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.mutant.MutantEngine;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.testkit.promise.Violation;
import dev.holdfast.testkit.simulation.Step.Deed;
import dev.holdfast.testkit.simulation.Step.Event;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole systems, simulated. For more of them: {@code ./holdfast simulate}, or {@code
 * -Dholdfast.simulation.hours=N}.
 */
@Timeout(value = 12, unit = TimeUnit.HOURS) // its bounds end it, not the clock
class SimulationIT {

  private static final int HOURS = Integer.getInteger("holdfast.simulation.hours", 300);
  private static final int REGISTER_HOURS = Math.max(1, HOURS / 30);
  private static final int AGAIN = 40;
  private static final int BEYOND_HOURS = 10;
  private static final int GRANTS = 1_000;

  private static final Set<Promise> EXCLUSION =
      EnumSet.of(Promise.EXCLUSION, Promise.WRITERS_ARE_ALONE, Promise.PERMITS, Promise.ONE_LEADER);

  @Test
  void every_promise_is_kept_whatever_happens_and_every_transition_is_taken(@TempDir Path folder)
      throws Exception {
    String figures = MutantEngine.callCounting(folder, SimulationIT.class, "simulate", "");

    System.out.println(figures);
    Files.writeString(Path.of("target", "simulation.txt"), figures); // ./test prints it
  }

  /** Called in the class loader of an engine that counts. */
  static String simulate(String unused) {
    Stats stats = keepsEveryPromise(Setting.standard(), HOURS);
    for (Construct construct : EnumSet.complementOf(EnumSet.of(Construct.NONE))) {
      assertThat(stats.grants(construct)).as("grants of %s", construct).isGreaterThan(GRANTS);
    }
    assertThat(stats.keptGrants()).as("grants of kept claims").isGreaterThan(GRANTS);
    assertThat(stats.events().keySet()).containsAll(everything());
    keepsEveryPromise(Setting.register(), REGISTER_HOURS); // a store that cannot queue

    Coverage coverage = Coverage.now();
    System.out.println(coverage.table());
    assertThat(coverage.isCounted()).isTrue();
    assertThat(coverage.missing()).as("transitions that were not taken").isEmpty();
    assertThat(coverage.listedWrongly()).as("transitions listed as unreachable").isEmpty();
    return "%,d simulated hours, %,d grants; %s%n"
        .formatted(HOURS + REGISTER_HOURS, stats.grants(), coverage.summary());
  }

  @Test
  void the_same_seed_gives_the_same_simulation() {
    for (long seed = 1; seed <= AGAIN; seed++) {
      List<String> once = observations(seed);

      assertThat(observations(seed)).as("seed %s", seed).isEqualTo(once);
    }
  }

  @Test
  void clocks_beyond_the_margin_break_exclusion_and_the_fence_still_holds() {
    Setting setting = Setting.standard().rates(0.3, 1);
    List<Promise> broken = new ArrayList<>();
    for (long seed = 1; seed <= BEYOND_HOURS; seed++) {
      Simulation.run(setting, Script.draw(seed, setting, true)).violations().stream()
          .map(Violation::promise)
          .forEach(broken::add);
    }

    assertThat(broken).containsAll(EXCLUSION);
    assertThat(broken)
        .doesNotContain(
            Promise.NO_STALE_WRITE, Promise.FENCE_TAKES_THE_NEWEST, Promise.TOKENS_DIFFER);
  }

  private static Stats keepsEveryPromise(Setting setting, int hours) {
    Simulations simulations = new Simulations(setting);
    for (long seed = 1; seed <= hours; seed++) {
      Optional<Failure> failure = simulations.run(seed);
      assertThat(failure).as(() -> failure.map(Failure::toString).orElse("")).isEmpty();
    }
    System.out.println(hours + " simulated hours: " + simulations.stats());
    return simulations.stats();
  }

  private static List<String> observations(long seed) {
    Setting setting = Setting.standard();
    return Simulation.run(setting, Script.draw(seed, setting, true)).observations().stream()
        .map(Observation::line)
        .toList();
  }

  /** Each kind of step, of fault and of deed. */
  private static List<String> everything() {
    List<String> all = new ArrayList<>();
    EnumSet.complementOf(EnumSet.of(Event.WEATHER)).forEach(it -> all.add(it.name()));
    EnumSet.complementOf(EnumSet.of(Weather.CALM)).forEach(it -> all.add(it.name()));
    EnumSet.complementOf(EnumSet.of(Deed.NONE, Deed.REENTER)).forEach(it -> all.add(it.name()));
    EnumSet.allOf(Weather.Fault.class).forEach(it -> all.add(it.name()));
    all.addAll(List.of("BREAK", "FORGET", "ATTACH", "cancelled", "re-entry", "re-entry refused"));
    all.add("nested DETACH refused");
    return all;
  }
}
