package dev.holdfast.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.explorer.Mutants;
import dev.holdfast.testkit.mutant.MutantEngine;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Promise;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulation finds faults that are put into the engine on purpose. */
@Timeout(value = 12, unit = TimeUnit.HOURS) // its bounds end it, not the clock
class EngineMutantsIT {

  private static final int HOURS = 30;

  private static final Set<Promise> WANTED =
      EnumSet.of(Promise.KEPT_IS_GIVEN_BACK, Promise.FIRST_COME, Promise.BUSY_IS_TRUE);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a release does not leave                                  | BUSY_IS_TRUE
          a hand-off repeats the token                              | TOKENS
          a cancelled request that is granted is not given back     | BUSY_IS_TRUE
          unknown is reported as busy                               | BUSY_IS_TRUE
          a try is answered busy without asking                     | BUSY_IS_TRUE
          the token changes on re-entry                             | SAME_TOKEN
          a reader's claim is handed off to a writer                | EXCLUSION/TOKENS
          a kept claim is used past its validity                    | KEPT_IS_VALID
          a hint does not reach a kept claim                        | WANTED
          what a renewal says of others that wait is forgotten      | WANTED
          a claim is kept although it is wanted                     | WANTED
          a try is busy behind an idle claim whose owner runs and hears | BUSY_IS_TRUE
          """)
  void it_finds_the_mutant(String mutant, String expected, @TempDir Path folder) throws Exception {
    String found =
        MutantEngine.call(
            Mutants.named(mutant).edits(), folder, EngineMutantsIT.class, "simulate", "");

    System.out.println(mutant + "\n" + found + "\n");
    assertThat(found).as(mutant).isNotEmpty();
    Promise promise = Promise.valueOf(found.lines().findFirst().orElseThrow());
    if (expected.equals("WANTED")) { // what shows first is a matter of who wants the lock, and when
      assertThat(promise).as(found).isIn(WANTED);
    } else {
      assertThat(expected.split("/")).as(found).contains(StoreMutantsIT.group(promise));
    }
  }

  /** Called in the class loader of the mutant. */
  static String simulate(String unused) {
    // Several locks that are busy though they are waited for ask the store who has them, and block.
    Set<Construct> constructs = EnumSet.complementOf(EnumSet.of(Construct.NONE, Construct.SEVERAL));
    Simulations simulations = new Simulations(Setting.standard().only(constructs));
    for (long seed = 1; seed <= HOURS; seed++) {
      Optional<Failure> failure = simulations.run(seed);
      if (failure.isPresent()) {
        return failure.get().violation().promise() + "\n" + failure.get();
      }
    }
    return "";
  }
}
