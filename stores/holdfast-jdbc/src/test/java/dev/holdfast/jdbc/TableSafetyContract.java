package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.jdbc.sql.TableSafety;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import dev.holdfast.testkit.store.Logged;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What others have put on the tables is found by the doctor, and told when the store is opened. */
abstract class TableSafetyContract {

  private final Ticker ticker = Ticker.system("table-safety");

  /** Of a database that no other test uses. */
  abstract String url() throws Exception;

  /** Makes a trigger called {@code spy} on the table of locks. */
  abstract void makeTrigger() throws Exception;

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void nothing_is_said_of_tables_that_are_as_we_made_them() throws Exception {
    try (Logged warnings = Logged.by(TableSafety.class, Level.WARNING)) {
      assertThat(warningsOf(openAndDiagnose())).isEmpty();
      assertThat(warnings.texts()).isEmpty();
    }
  }

  @Test
  void a_trigger_is_reported() throws Exception {
    openAndDiagnose();
    makeTrigger();
    try (Logged warnings = Logged.by(TableSafety.class, Level.WARNING)) {
      assertThat(warningsOf(openAndDiagnose())).singleElement().satisfies(this::namesTheTrigger);
      assertThat(warnings.texts()).singleElement().satisfies(this::namesTheTrigger);
      assertThat(warnings.texts().get(0)).startsWith("jdbc:").doesNotContain("hunter2");
    }
  }

  final List<Finding> openAndDiagnose() throws Exception {
    try (LockStore store =
        new JdbcProvider().open(url(), new StoreSettings(ticker, Duration.ofSeconds(20)))) {
      return Ask.of(store.diagnose()).findings();
    }
  }

  /** Those about tables; of the rest the test's server has some to be blamed for. */
  static List<String> warningsOf(List<Finding> findings) {
    return findings.stream()
        .filter(finding -> finding.severity() == Severity.WARNING)
        .map(Finding::message)
        .filter(message -> message.startsWith("the table "))
        .toList();
  }

  private void namesTheTrigger(String text) {
    assertThat(text)
        .containsIgnoringCase("the table holdfast_lock has the trigger 'spy'")
        .endsWith("which only their owner can change");
  }
}
