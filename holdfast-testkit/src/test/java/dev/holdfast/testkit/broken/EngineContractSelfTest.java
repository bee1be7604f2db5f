package dev.holdfast.testkit.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import dev.holdfast.testkit.EngineContract;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.NestedMethodSelector;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/**
 * A store broken on purpose must fail the tests of the engine that it makes impossible. Only those
 * run: on a broken store others would wait for what never comes.
 */
class EngineContractSelfTest {

  @ParameterizedTest
  @EnumSource
  void a_flaw_that_clients_suffer_from_is_named(EngineFlaw flaw) {
    BrokenEngineContract.flaw = flaw;

    List<String> failed =
        EngineTestKit.engine("junit-jupiter")
            .selectors(
                flaw.promises().stream()
                    .map(EngineContractSelfTest::test)
                    .toArray(NestedMethodSelector[]::new))
            .execute()
            .testEvents()
            .failed()
            .filter(event -> thrownBy(event) instanceof AssertionError)
            .map(event -> event.getTestDescriptor().getDisplayName().replaceAll("\\(.*\\)", ""))
            .toList();

    assertThat(failed)
        .as("tests that clients of a store fail which %s", flaw)
        .containsExactlyInAnyOrderElementsOf(
            flaw.promises().stream().map(promise -> promise.split("#")[1]).toList());
  }

  private static NestedMethodSelector test(String promise) {
    String[] parts = promise.split("#");
    return selectNestedMethod(
        List.of(BrokenEngineContract.class.getName()),
        EngineContract.class.getName() + "$" + parts[0],
        parts[1]);
  }

  private static Throwable thrownBy(Event failed) {
    return failed.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow();
  }
}
