package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.JdbcFence;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FencedAccountsTest {

  @TempDir Path directory;

  private Holdfast locks;
  private Connection database;
  private FencedAccounts accounts;

  @BeforeEach
  void open() throws SQLException {
    locks = Holdfast.connect("sqlite:" + directory.resolve("locks.db"));
    database = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("accounts.db"));
    try (Statement statement = database.createStatement()) {
      statement.execute(
          "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, fence INTEGER)");
      statement.execute("INSERT INTO account VALUES (1, 100, 0), (2, 100, 0)");
    }
    JdbcFence.prepare(database);
    accounts = new FencedAccounts(database);
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
    locks.close();
  }

  @Test
  void the_holder_reads_and_writes() throws Exception {
    try (Lease lease = locks.lock("accounts").acquire()) {
      accounts.transfer(1, 2, 30, lease.proof());
      accounts.credit(1, 5, lease.proof());
    }
    assertThat(accounts.balance(1)).isEqualTo(75);
    assertThat(accounts.balance(2)).isEqualTo(130);
  }

  @Test
  void an_old_holder_that_wakes_up_late_writes_nothing() throws Exception {
    Proof old = proof();
    Proof current = proof();
    accounts.transfer(1, 2, 30, current);
    accounts.credit(1, 1, current);

    assertThatThrownBy(() -> accounts.transfer(1, 2, 30, old))
        .isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> accounts.credit(1, 1, old)).isInstanceOf(StaleTokenException.class);

    assertThat(accounts.balance(1)).isEqualTo(71);
    assertThat(accounts.balance(2)).isEqualTo(130);
  }

  private Proof proof() throws Exception {
    try (Lease lease = locks.lock("accounts").acquire()) {
      return lease.proof();
    }
  }
}
