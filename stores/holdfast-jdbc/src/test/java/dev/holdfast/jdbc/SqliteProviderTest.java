package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteErrorCode;

/** What a URL opens, and what a wrong one is answered. */
class SqliteProviderTest {

  private final Ticker ticker = Ticker.system("provider-test");

  @TempDir Path directory;

  @AfterEach
  void closeTicker() {
    ticker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sqlite:", "jdbc:sqlite:"})
  void a_url_opens_a_store_that_is_known_by_it(String scheme) {
    String url = scheme + directory.resolve("with space and ünïcode.db");

    try (LockStore store = open(url)) {
      assertThat(store).hasToString(url);
      assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Granted.class);
    }
    assertThat(directory.resolve("with space and ünïcode.db")).isNotEmptyFile();
  }

  @Test
  void the_api_finds_it_by_its_scheme() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    try (Holdfast locks = Holdfast.connect(url)) {
      assertThat(locks.traits().durable()).isTrue();
      assertThat(locks.list("")).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sqlite:                      | the path is missing
          jdbc:sqlite:                 | the path is missing
          sqlite::memory:              | only the path of a file can be shared by processes
          jdbc:sqlite::memory:         | only the path of a file can be shared by processes
          jdbc:sqlite:file:x.db        | only the path of a file can be shared by processes
          sqlite://host/locks.db       | a SQLite store is a file of this host
          jdbc:sqlite:x.db?cache=small | it takes no parameters
          sqlite:a\u0000b              | the path is invalid
          """)
  void a_malformed_url_is_refused_with_an_example(String url, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(url))
        .withMessageContaining(reason)
        .withMessageContaining("sqlite:/var/lib/app/locks.db")
        .withMessageNotContaining("\n");
  }

  @Test
  void a_password_in_a_malformed_url_is_not_shown() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open("jdbc:sqlite:x.db?password=hunter2"))
        .withMessageNotContaining("hunter2");
  }

  @Test
  void a_missing_directory_is_named() {
    refused(
        directory.resolve("missing/locks.db"),
        "the directory " + directory.resolve("missing") + " does not exist; create it first");
  }

  @Test
  void a_directory_is_not_a_file() {
    refused(directory, directory + " is a directory; name a file in it");
  }

  @Test
  void a_device_is_not_a_file() {
    refused(Path.of("/dev/null"), "/dev/null is not a regular file");
  }

  @Test
  void a_directory_where_no_file_can_be_made_is_refused() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("sqlite:/proc/locks.db"))
        .withMessageStartingWith("Cannot use sqlite:/proc/locks.db: the ")
        .withMessageNotContaining("\n");
  }

  @Test
  void a_file_that_is_no_database_is_refused_and_left_as_it_is() throws Exception {
    Path file = directory.resolve("notes.txt");
    String text = "Remember to buy milk. ".repeat(200);
    Files.writeString(file, text);

    refused(file, "the file is not a SQLite database; name another file");

    assertThat(file).hasContent(text);
    assertThat(directory.toFile().list()).containsExactly("notes.txt");
  }

  @Test
  void an_empty_file_is_a_new_store() throws Exception {
    Path file = Files.createFile(directory.resolve("locks.db"));

    try (LockStore store = open("sqlite:" + file)) {
      assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Granted.class);
    }
  }

  @Test
  void tables_of_a_newer_format_are_refused() throws Exception {
    Path file = directory.resolve("locks.db");
    open("sqlite:" + file).close();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE holdfast_schema SET format = 2");
    }

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("sqlite:" + file))
        .withMessage(
            "The tables have format 2; this version of Holdfast knows 1."
                + " Use the newer version that wrote it.");
  }

  @Test
  void tables_of_somebody_else_are_refused() throws Exception {
    Path file = directory.resolve("locks.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE holdfast_schema (something TEXT)");
    }

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("sqlite:" + file))
        .withMessageStartingWith("Cannot use sqlite:" + file)
        .withMessageNotContaining("\n");
  }

  @Test
  void a_file_that_others_keep_locked_is_not_waited_for_longer_than_an_operation()
      throws Exception {
    Path file = directory.resolve("locks.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN EXCLUSIVE");

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(
              () ->
                  new SqliteProvider()
                      .open("sqlite:" + file, new StoreSettings(ticker, Duration.ofMillis(200))))
          .withMessageContaining("others kept the file locked");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SQLITE_READONLY           | read-only
          SQLITE_READONLY_DIRECTORY | read-only
          SQLITE_PERM               | read-only
          SQLITE_CANTOPEN           | its directory must be writable
          SQLITE_FULL               | the disk is full
          SQLITE_CORRUPT            | damaged
          SQLITE_NOTADB             | not a SQLite database
          SQLITE_IOERR_FSYNC        | the disk reported an error (text of the driver)
          SQLITE_BUSY_SNAPSHOT      | others kept the file locked
          SQLITE_MISUSE             | text of the driver
          """)
  void what_sqlite_reports_is_said_in_words(SQLiteErrorCode code, String words) {
    SQLException failure = new SQLException("text of the driver", "", code.code);

    assertThat(new SqliteDialect().explain(failure)).contains(words);
  }

  @Test
  void a_lease_of_the_api_is_kept_in_the_file() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    try (Holdfast locks = Holdfast.connect(url);
        Holdfast others = Holdfast.connect(url)) {
      long first;
      try (Lease lease = locks.lock("invoice/42").acquire()) {
        first = lease.token();
        assertThat(others.lock("invoice/42").tryAcquire()).isNull();
      }
      try (Lease lease = others.lock("invoice/42").acquire()) {
        assertThat(lease.token()).isGreaterThan(first);
      }
    }
  }

  private LockStore open(String url) {
    return new SqliteProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(20)));
  }

  private void refused(Path file, String reason) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("sqlite:" + file))
        .withMessage("Cannot use sqlite:" + file + ": " + reason + ".");
  }
}
