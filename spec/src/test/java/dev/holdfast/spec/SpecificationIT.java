package dev.holdfast.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Has TLC look at every state of the specification within its bounds, and refute every mutant. As
 * many processes as there are processors run side by side. {@code -Dholdfast.spec=NAME} runs the
 * checks whose names begin so.
 */
@Timeout(14_400) // that of the whole run decides: how long TLC takes depends on the machine
class SpecificationIT {

  /** Fewer would be a model that leaves out what it is about. */
  private static final int LEAST = 50_000;

  private static final Map<Check, Future<Tlc.Outcome>> RUNS = new LinkedHashMap<>();
  private static final ExecutorService PROCESSES =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

  @BeforeAll
  static void start() {
    Stream.concat(properties(), mutants())
        .forEach(check -> RUNS.put(check, PROCESSES.submit(() -> Tlc.run(check))));
  }

  @AfterAll
  static void tell() throws Exception {
    PROCESSES.shutdownNow();
    List<Tlc.Outcome> outcomes = new ArrayList<>();
    for (Future<Tlc.Outcome> run : RUNS.values()) {
      outcomes.add(run.get());
    }
    Tlc.tell(outcomes);
  }

  @ParameterizedTest(allowZeroInvocations = true) // by their names, there may be none
  @MethodSource("properties")
  void all_properties_hold_in_every_state(Check check) throws Exception {
    Tlc.Outcome outcome = outcome(check);

    assertThat(outcome.violated()).as("violated, see %s", outcome.output()).isEmpty();
    assertThat(outcome.left()).as("states not looked at").isZero();
    assertThat(outcome.distinct()).as("distinct states").isGreaterThanOrEqualTo(LEAST);
  }

  @ParameterizedTest(allowZeroInvocations = true) // by their names, there may be none
  @MethodSource("mutants")
  void a_mutant_is_refuted_by_the_property_that_it_breaks(Check check) throws Exception {
    Tlc.Outcome outcome = outcome(check);

    assertThat(outcome.violated())
        .as("violated, see %s", outcome.output())
        .isEqualTo(check.refutes());
    assertThat(outcome.output().resolveSibling("trace.txt")).isNotEmptyFile();
  }

  static Stream<Check> properties() {
    return chosen(Checks.properties());
  }

  static Stream<Check> mutants() {
    return chosen(Checks.mutants());
  }

  private static Stream<Check> chosen(List<Check> checks) {
    String begin = System.getProperty("holdfast.spec", "");
    return checks.stream().filter(check -> check.toString().startsWith(begin));
  }

  private static Tlc.Outcome outcome(Check check)
      throws IOException, InterruptedException, ExecutionException {
    return RUNS.get(check).get();
  }
}
