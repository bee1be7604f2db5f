package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
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
      statement.execute("INSERT INTO account VALUES (1, 100, 0)");
    }
    accounts = new FencedAccounts(database);
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
    locks.close();
  }

  @Test
  void the_holder_reads_and_writes() throws Exception {
    try (Lease lease = locks.lock("account/1").acquire()) {
      accounts.enter(1, lease.proof());
      accounts.write(1, accounts.balance(1) + 5, lease.proof());
    }
    assertThat(accounts.balance(1)).isEqualTo(105);
  }

  @Test
  void an_old_holder_that_wakes_up_late_writes_nothing() throws Exception {
    Proof old = enter();
    Proof current = enter();

    assertThatThrownBy(() -> accounts.write(1, 0, old)).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> accounts.enter(1, old)).isInstanceOf(StaleTokenException.class);
    accounts.write(1, 7, current);
    assertThat(accounts.balance(1)).isEqualTo(7);
  }

  private Proof enter() throws Exception {
    try (Lease lease = locks.lock("account/1").acquire()) {
      accounts.enter(1, lease.proof());
      return lease.proof();
    }
  }
}
