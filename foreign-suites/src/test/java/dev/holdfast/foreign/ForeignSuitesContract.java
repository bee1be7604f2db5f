package dev.holdfast.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Other people's tests of locks pass over Holdfast, by one client and by a client per thread. */
abstract class ForeignSuitesContract {

  private final Launcher launcher = LauncherFactory.create();

  /** The URL of each store. */
  abstract Map<String, String> urls() throws Exception;

  @TestFactory
  Stream<DynamicNode> they_pass_by_one_client() throws Exception {
    return passes(true);
  }

  @TestFactory
  Stream<DynamicNode> they_pass_by_a_client_per_thread() throws Exception {
    return passes(false);
  }

  private Stream<DynamicNode> passes(boolean one) throws Exception {
    return urls().entrySet().stream().map(store -> passes(store.getKey(), store.getValue(), one));
  }

  private DynamicNode passes(String store, String url, boolean one) {
    return DynamicContainer.dynamicContainer(
        store, Stream.of(Suite.values()).map(suite -> passes(url, one, suite)));
  }

  private DynamicNode passes(String url, boolean one, Suite suite) {
    TestPlan plan =
        launcher.discover(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(suite.tests))
                .build());
    List<DynamicTest> tests = new ArrayList<>();
    Set<String> unknown = new HashSet<>(suite.leftOut.keySet());
    plan.accept(
        new TestPlan.Visitor() {
          @Override
          public void visit(TestIdentifier test) {
            unknown.remove(name(test));
            if (test.isTest() && !suite.leftOut.containsKey(name(test))) {
              tests.add(
                  DynamicTest.dynamicTest(
                      suite + "." + name(test), () -> pass(url, one, test.getUniqueId())));
            }
          }
        });
    assertThat(tests).as("tests of %s", suite).isNotEmpty();
    assertThat(unknown).as("left out of %s, but not in it", suite).isEmpty();
    return DynamicContainer.dynamicContainer(suite.toString(), tests);
  }

  private static String name(TestIdentifier test) {
    return test.getLegacyReportingName().replaceAll("\\(.*", "");
  }

  private void pass(String url, boolean one, String test) throws Throwable {
    Outcome outcome = new Outcome();
    try (Clients clients = Clients.open(url, one)) {
      launcher.execute(
          LauncherDiscoveryRequestBuilder.request().selectors(selectUniqueId(test)).build(),
          outcome);
    }
    if (outcome.failure != null) {
      throw outcome.failure;
    }
    if (!outcome.passed) {
      throw new AssertionError("it was not run");
    }
  }

  /** What became of one test. */
  private static final class Outcome implements TestExecutionListener {
    private volatile boolean passed;
    private volatile Throwable failure;

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      result.getThrowable().ifPresent(thrown -> failure = thrown);
      if (identifier.isTest()) {
        passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      }
    }
  }
}
