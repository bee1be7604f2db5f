package dev.holdfast.testkit.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** A store broken on purpose must fail, by the name of the broken promise. */
class ContractSelfTest {

  @ParameterizedTest
  @EnumSource
  void a_flaw_of_the_queue_is_named(QueueFlaw flaw) {
    assertNamed(flaw);
  }

  @ParameterizedTest
  @EnumSource
  void a_flaw_of_the_record_is_named(RecordFlaw flaw) {
    assertNamed(flaw);
  }

  @ParameterizedTest
  @EnumSource
  void a_flaw_of_kept_claims_is_named(KeepableFlaw flaw) {
    assertNamed(flaw);
  }

  private static void assertNamed(Flaw flaw) {
    BrokenStoreContract.flaw = flaw;

    Events tests =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(BrokenStoreContract.class))
            .execute()
            .testEvents();

    List<String> failed =
        tests
            .failed()
            .filter(event -> thrownBy(event) instanceof AssertionError)
            .map(event -> event.getTestDescriptor().getDisplayName().replace("()", ""))
            .toList();
    assertThat(failed).as("tests that a store fails which %s", flaw).containsAll(flaw.promises());
    assertThat(tests.succeeded().count())
        .as("tests that have nothing to do with it")
        .isGreaterThan(tests.started().count() / 3);
  }

  private static Throwable thrownBy(Event failed) {
    return failed.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow();
  }
}
