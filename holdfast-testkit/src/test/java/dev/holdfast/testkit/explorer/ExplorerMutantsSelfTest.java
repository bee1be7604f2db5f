package dev.holdfast.testkit.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.mutant.MutantEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The explorer finds every fault that is put into the engine on purpose. */
@Timeout(value = 12, unit = TimeUnit.HOURS) // the bounds of the worlds end it, not the clock
class ExplorerMutantsSelfTest {

  @ParameterizedTest
  @MethodSource("mutants")
  void it_finds_the_mutant(Mutant mutant, @TempDir Path folder) throws Exception {
    String found =
        MutantEngine.call(mutant.edits(), folder, Mutants.class, "explore", mutant.name());

    System.out.println(mutant + "\n" + found + "\n");
    assertThat(found.lines().findFirst())
        .as("%s: %s", mutant, found)
        .hasValueSatisfying(
            name -> assertThat(mutant.invariants().stream().map(Enum::name)).contains(name));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void the_real_engine_passes_what_finds_the_mutant(Mutant mutant) {
    assertThat(Explorer.explore(mutant.world()).violation()).isNull();
  }

  @Test
  void there_are_enough_of_them_and_each_has_its_own_name() {
    List<String> names = mutants().stream().map(Mutant::name).toList();

    assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(30);
  }

  static List<Mutant> mutants() {
    return Mutants.all();
  }
}
