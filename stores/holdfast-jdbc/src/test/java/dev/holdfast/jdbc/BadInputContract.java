package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.FailedConnectContract;
import dev.holdfast.testkit.store.Ask;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Errors in settings: one line, with the reason, without secrets. */
abstract class BadInputContract {

  private final Ticker ticker = Ticker.system("bad-input");
  private Database database;

  abstract SqlServer server();

  @BeforeEach
  void open() throws Exception {
    database = server().newDatabase();
  }

  @AfterEach
  void close() {
    database.close();
    ticker.close();
  }

  @Test
  void a_wrong_password() {
    refused(
        database.url().replace(database.password(), "hunter2"), "refuses this user or password");
  }

  @Test
  void a_wrong_password_leaves_no_thread() {
    FailedConnectContract.nobodyIsLeft(database.url().replace(database.password(), "hunter2"));
  }

  @Test
  void a_user_that_does_not_exist() {
    refused(database.url().replace(database.user(), "nobody"), "refuses this user or password");
  }

  @Test
  void a_database_that_does_not_exist() {
    String message = refused(database.url().replace("/" + database.name(), "/missing"), "missing?");

    // To some users some servers do not say what does not exist.
    assertThat(message).containsAnyOf("the database does not exist", "this user lacks a right");
  }

  @Test
  void a_server_that_is_not_there() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    refused(database.url().replaceFirst(":\\d+/", ":" + port + "/"), "127.0.0.1:" + port);
  }

  @Test
  void a_server_that_accepts_and_says_nothing() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      String url = database.url().replaceFirst(":\\d+/", ":" + silent.getLocalPort() + "/");

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> open(url, Duration.ofSeconds(1)))
          .withMessageStartingWith("Cannot use ")
          .withMessageNotContaining("\n");
    }
  }

  @Test
  void a_user_without_rights_to_create_tables() throws Exception {
    String message =
        refused(database.withoutDdl().url(), "there is no table holdfast_schema, holdfast_lock");

    assertThat(message).contains("cannot be created", "dev/holdfast/jdbc/", ".sql");
  }

  @Test
  void tables_that_are_not_to_be_made() {
    String message =
        refused(
            database.url() + "&holdfast.create-tables=false",
            "there is no table holdfast_schema, holdfast_lock, holdfast_claim,"
                + " and holdfast.create-tables is false");

    assertThat(message).contains("dev/holdfast/jdbc/", ".sql");
  }

  @Test
  void tables_of_a_newer_version() throws Exception {
    open(database.url(), Duration.ofSeconds(20)).close();
    database.execute(List.of("UPDATE holdfast_schema SET format = 2"));

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(database.url(), Duration.ofSeconds(20)))
        .withMessage(
            "The tables have format 2; this version of Holdfast knows 1."
                + " Use the newer version that wrote it.");
  }

  @Test
  void the_settings_have_user_and_password_where_the_url_has_none() {
    Credentials credentials = new Credentials(database.user(), database.password());
    StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(20), credentials);

    try (LockStore store = new JdbcProvider().open(database.plainUrl(), settings)) {
      assertThat(Ask.of(store.list("", 1))).isEmpty();
      assertThat(store.toString()).doesNotContain(database.password());
    }
  }

  Database database() {
    return database;
  }

  /** The message. */
  String refused(String url, String reason) {
    try {
      open(url, Duration.ofSeconds(20)).close();
    } catch (StoreException e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      assertThat(e.getMessage())
          .startsWith("Cannot use jdbc:")
          .contains(reason)
          .doesNotContain("\n");
      assertThat(trace.toString()).doesNotContain("hunter2").doesNotContain(database.password());
      return e.getMessage();
    }
    throw new AssertionError("opened");
  }

  private LockStore open(String url, Duration timeout) {
    return new JdbcProvider().open(url, new StoreSettings(ticker, timeout));
  }
}
