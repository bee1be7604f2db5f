package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.jdbc.dialect.H2Dialect;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How failures and versions that drivers report are read, without a server. */
class DialectTest {

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 15.3, PostgresDialect",
    "MySQL, 8.0.31, MySqlDialect",
    "MariaDB, 10.11.19-MariaDB, MariaDbDialect",
    "MySQL, 5.5.5-10.11.19-MariaDB-0+deb12u1, MariaDbDialect",
    "H2, 2.5.252, H2Dialect",
    "SQLite, 3.53.4, SqliteDialect",
  })
  void the_engine_is_known_by_what_it_says_of_itself(
      String product, String version, String dialect) {
    assertThat(Dialects.of(product, version).getClass().getSimpleName()).isEqualTo(dialect);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 9, 5, 9.6",
    "PostgreSQL, 8, 9, 9.6",
    "MySQL, 5, 6, 5.7",
    "MariaDB, 10, 2, 10.3",
    "H2, 1, 4, 2.0",
  })
  void a_server_that_is_too_old_is_refused(String product, int major, int minor, String oldest) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Dialects.of(product, "").check(about(major, minor)))
        .withMessage(
            "Cannot use jdbc:x://h/d?password=***: %s %d.%d is too old; Holdfast needs %s or newer.",
            product, major, minor, oldest);
  }

  @Test
  void newer_ones_are_not() {
    for (String product : List.of("PostgreSQL", "MySQL", "MariaDB", "H2")) {
      assertThatCode(() -> Dialects.of(product, "").check(about(99, 0))).doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 40001, 0", // serialization failure
    "PostgreSQL, 40P01, 0", // deadlock
    "PostgreSQL, 55P03, 0", // lock not available
    "PostgreSQL, 23505, 0", // somebody else made the row
    "MySQL, 40001, 1213", // deadlock
    "MySQL, HY000, 1205", // lock wait time-out
    "MySQL, 23000, 1062",
    "MariaDB, 40001, 1213",
    "MariaDB, HY000, 1205",
    "MariaDB, HY000, 1020", // record has changed since last read
    "H2, 40001, 40001",
    "H2, HYT00, 50200",
    "H2, 90131, 90131",
    "H2, 23505, 23505",
  })
  void what_surely_did_nothing_is_repeated(String product, String state, int code) {
    SQLException failure = new SQLException("text", state, code);

    assertThat(Dialects.of(product, "").isRetryable(failure)).isTrue();
    assertThat(Dialects.of(product, "").isRetryable(new SQLException("pool", failure))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 08006, 0", // connection lost: it may have happened
    "PostgreSQL, 57P01, 0", // server shut down
    "PostgreSQL, 57014, 0",
    "MySQL, 08S01, 0",
    "MySQL, 70100, 1317",
    "MariaDB, 08000, 0",
    "H2, 90067, 90067",
  })
  void what_may_have_happened_is_not(String product, String state, int code) {
    assertThat(Dialects.of(product, "").isRetryable(new SQLException("text", state, code)))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          PostgreSQL | 28P01 | 0     | it refuses this user or password
          PostgreSQL | 3D000 | 0     | the database does not exist
          PostgreSQL | 42501 | 0     | this user lacks a right: words of the driver
          PostgreSQL | 25006 | 0     | it is read-only, perhaps a standby: words of the driver
          MySQL      | 28000 | 1045  | it refuses this user or password
          MySQL      | 42000 | 1049  | the database does not exist
          MySQL      | 42000 | 1142  | this user lacks a right: words of the driver
          MariaDB    | 42000 | 1044  | this user lacks a right: words of the driver
          H2         | 28000 | 28000 | it refuses this user or password
          H2         | 90149 | 90149 | the database does not exist
          H2         | 90096 | 90096 | this user lacks a right: words of the driver
          H2         | HY000 | 1     | words of the driver
          """)
  void what_a_server_reports_is_said_in_words(
      String product, String state, int code, String words) {
    SQLException failure = new SQLException("words of the driver", state, code);
    SQLException wrapped = new SQLTransientConnectionException("words of the pool", failure);

    assertThat(Dialects.of(product, "").explain(failure)).isEqualTo(words);
    assertThat(Dialects.of(product, "").explain(wrapped)).isEqualTo(words);
  }

  @Test
  void only_an_h2_server_spans_processes_and_only_memory_forgets() {
    H2Dialect h2 = new H2Dialect();

    assertThat(h2.traits("jdbc:h2:tcp://h/d").build().spansProcesses()).isTrue();
    assertThat(h2.traits("jdbc:h2:~/d;AUTO_SERVER=TRUE").build().spansProcesses()).isTrue();
    assertThat(h2.traits("jdbc:h2:~/d").build().spansProcesses()).isFalse();
    assertThat(h2.traits("jdbc:h2:~/d").build().durable()).isTrue();
    assertThat(h2.traits("jdbc:h2:mem:d").build().durable()).isFalse();
  }

  private static DatabaseMetaData about(int major, int minor) {
    return (DatabaseMetaData)
        Proxy.newProxyInstance(
            DialectTest.class.getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getDatabaseMajorVersion" -> major;
                  case "getDatabaseMinorVersion" -> minor;
                  case "getURL" -> "jdbc:x://h/d?password=hunter2";
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
