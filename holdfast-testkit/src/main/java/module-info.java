/**
 * The conformance kit: what every store must promise, as tests, and the tools to test under faults.
 */
module dev.holdfast.testkit {
  requires transitive dev.holdfast.core;
  requires transitive java.logging;
  requires transitive org.junit.jupiter.api;
  requires org.assertj.core;
  requires java.management;
  requires jdk.management;
  requires static org.jspecify;

  exports dev.holdfast.testkit;
  exports dev.holdfast.testkit.store;
  exports dev.holdfast.testkit.promise;
  exports dev.holdfast.testkit.simulation;

  // JUnit calls the contracts' tests by reflection, and AssertJ looks into what it compares.
  opens dev.holdfast.testkit;
  opens dev.holdfast.testkit.rules;
  opens dev.holdfast.testkit.rules.engine;
  opens dev.holdfast.testkit.rules.store;
}
