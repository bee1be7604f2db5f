/**
 * The conformance kit: what every store must promise, as tests, and the tools to test under faults.
 */
module dev.holdfast.testkit {
  requires transitive dev.holdfast.core;
  requires transitive org.junit.jupiter.api;
  requires org.assertj.core;
  requires static org.jspecify;

  exports dev.holdfast.testkit;

  // JUnit calls the contracts' tests by reflection, and AssertJ looks into what it compares.
  opens dev.holdfast.testkit;
  opens dev.holdfast.testkit.rules;
}
