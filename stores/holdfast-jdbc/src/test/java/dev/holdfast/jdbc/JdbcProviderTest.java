package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Consistency;
import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.connection.JdbcDriver;
import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Redaction;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a URL opens, and what a wrong one is answered; what needs no server. */
class JdbcProviderTest {

  private final Ticker ticker = Ticker.system("jdbc-provider");

  @TempDir Path directory;

  @AfterEach
  void closeTicker() {
    ticker.close();
  }

  @Test
  void a_database_in_memory_is_shared_by_its_name() {
    try (LockStore store = open("jdbc:h2:mem:shared");
        LockStore other = open("jdbc:h2:mem:shared")) {
      assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Granted.class);
      assertThat(Ask.join(other, Ask.mutex("lock"))).isNotInstanceOf(Granted.class);
      assertThat(store.traits().spansProcesses()).isFalse();
      assertThat(store.traits().durable()).isFalse();
    }
  }

  @Test
  void a_database_in_memory_without_a_name_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open("jdbc:h2:mem:"))
        .withMessageContaining("private to one connection; give it a name");
  }

  @Test
  void a_file_is_kept() {
    String url = "jdbc:h2:" + directory.resolve("locks");
    try (LockStore store = open(url)) {
      Ask.join(store, Ask.mutex("lock"));
    }
    try (LockStore store = open(url)) {
      assertThat(Ask.join(store, Ask.mutex("lock"))).isNotInstanceOf(Granted.class);
      assertThat(store.traits().durable()).isTrue();
      assertThat(store.traits().spansProcesses()).isFalse();
    }
  }

  @Test
  void the_api_finds_it_by_its_scheme_and_takes_the_users_word() {
    try (Holdfast locks = Holdfast.connect("jdbc:h2:mem:word;holdfast.linearizable=true");
        Holdfast others = Holdfast.connect("jdbc:h2:mem:word")) {
      assertThat(locks.traits().consistency()).isEqualTo(Consistency.LINEARIZABLE);
      assertThat(others.traits().consistency()).isEqualTo(Consistency.BEST_EFFORT);
    }
  }

  @Test
  void a_wrong_password_is_not_shown() throws Exception {
    String file = "jdbc:h2:" + directory.resolve("locks") + ";USER=sa;PASSWORD=";
    open(file + "right").close();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(file + "hunter2"))
        .withMessageStartingWith("Cannot use jdbc:h2:")
        .withMessageEndingWith("PASSWORD=***: it refuses this user or password.");
  }

  @Test
  void a_database_that_is_not_to_be_made_does_not_exist() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("jdbc:h2:" + directory.resolve("none") + ";IFEXISTS=TRUE"))
        .withMessageEndingWith(": the database does not exist.");
  }

  @Test
  void a_driver_that_is_missing_is_named() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new JdbcDriver("no.such.Driver", "group:artifact", 1, Map.of()).load("jdbc:no"))
        .withMessage("no driver for 'jdbc:no:' on the class path; add group:artifact");
  }

  @Test
  void a_url_that_the_driver_does_not_take_is_refused_without_its_password() {
    for (String url :
        new String[] {
          "jdbc:mysql:broken?password=hunter2",
          "jdbc:mariadb:broken?password=hunter2",
          "jdbc:h2:tcp://;PASSWORD=hunter2"
        }) {
      assertThatExceptionOfType(StoreException.class)
          .as(url)
          .isThrownBy(() -> open(url))
          .withMessageStartingWith("Cannot use jdbc:")
          .withMessageNotContaining("hunter2")
          .withMessageNotContaining("\n")
          .withStackTraceContaining("JdbcProvider")
          .satisfies(e -> assertThat(trace(e)).doesNotContain("hunter2"));
    }
  }

  @Test
  void a_clock_that_is_missing_is_found_out_when_opening() {
    Dialect clockless = new SqliteDialect("no_such_clock()", 1);
    String url = "sqlite:" + directory.resolve("locks.db");
    ConnectionPool connections = SqliteConnections.pool(SqliteFile.of(url), clockless);
    StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(20));

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () ->
                new JdbcLockStore(
                        DatabaseAccess.polling(url, clockless, connections), settings, () -> {})
                    .opened())
        .withMessageStartingWith("Cannot use " + url)
        .withMessageContaining("no such function: no_such_clock")
        .withMessageNotContaining("\n");
  }

  @Test
  void a_message_of_a_driver_that_quotes_the_url_is_redacted() {
    SQLException quoting =
        new SQLException(
            "Unable to parse\n jdbc:x://h/d?password=hunter2", "08001", 7, new Exception("x"));

    Throwable copy = Redaction.of(quoting);

    assertThat(trace(copy))
        .doesNotContain("hunter2")
        .contains("java.sql.SQLException: Unable to parse", "JdbcProviderTest");
    SQLException clean = new SQLException("nothing secret");
    assertThat(Redaction.of(clean)).isSameAs(clean);
  }

  private static String trace(Throwable failure) {
    java.io.StringWriter text = new java.io.StringWriter();
    failure.printStackTrace(new java.io.PrintWriter(text));
    return text.toString();
  }

  private LockStore open(String url) {
    return new JdbcProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(5)));
  }
}
