package dev.holdfast.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CheckTest {

  private static final String FILE =
      """
      SPECIFICATION Spec
      CONSTANTS
        Claims = {a, b}
        Ttl = 2
        Bug = "none"
      INVARIANTS Exclusion Truth
      PROPERTIES TokenOrder
      """;

  @Test
  void a_mutant_is_held_against_the_one_property_that_it_breaks() {
    Check mutant = Check.mutant("no-margin", "Truth", "Holdfast", "Mutex");

    assertThat(mutant.configured(FILE))
        .contains("Bug = \"no-margin\"", "INVARIANTS Truth\n")
        .doesNotContain("Exclusion", "TokenOrder");
  }

  @Test
  void another_constant_replaces_that_of_the_file() {
    Check larger = Check.holds("Holdfast", "Mutex").with("Ttl", "3");

    assertThat(larger.configured(FILE)).isEqualTo(FILE.replace("Ttl = 2", "Ttl = 3"));
  }

  static Stream<Check> checks() {
    return Stream.concat(Checks.properties().stream(), Checks.mutants().stream());
  }

  /** Otherwise a mutant would be the protocol itself, or be refuted by nothing. */
  @ParameterizedTest
  @MethodSource("checks")
  void what_a_check_names_is_in_the_specification(Check check) throws IOException {
    String file = Files.readString(Path.of(check.configuration() + ".cfg"));
    String specification = "";
    for (String module : List.of("Queue", "Holdfast", "Kept", "Fence", "Live", "Redlock")) {
      specification += Files.readString(Path.of(module + ".tla"));
    }

    assertThat(file).contains(check.refutes());
    assertThat(check.changes().keySet()).allMatch(name -> file.contains("\n  " + name + " = "));
    if (check.isMutant()) {
      assertThat(specification).contains("\"" + check.bug() + "\"", check.refutes() + " ==");
    }
  }

  @Test
  void a_refutation_is_shown_with_a_line_for_each_step() {
    List<String> said =
        List.of(
            "Error: Invariant Truth is violated.",
            "State 1: <Initial predicate>",
            "/\\ net = {}",
            "State 2: <Tick line 9, col 1 to line 12, col 9 of module Holdfast>",
            "/\\ store = [ last |-> 0,",
            "  tombs |-> {} ]",
            "/\\ age = 1",
            "12 states generated, 8 distinct states found, 3 states left on queue.");

    assertThat(Trace.shortened(said))
        .containsExactly("2 Tick; store = [ last |-> 0, tombs |-> {} ]; age = 1");
  }
}
