package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lock that is a row of a table. */
@NeedsServer(Server.MARIADB)
class SqlRecipesIT {

  private Database database;
  private Connection first;
  private Connection second;

  @BeforeEach
  void open() throws SQLException {
    database = MariaDbServer.shared().newDatabase();
    database.execute(List.of(MethodLockTable.TABLE, "CREATE TABLE report (line TEXT)"));
    first = database.connect();
    second = database.connect();
  }

  @AfterEach
  void close() throws SQLException {
    first.close();
    second.close();
    database.close();
  }

  @Test
  void the_row_excludes_others_until_it_is_deleted() throws SQLException {
    MethodLockTable held = new MethodLockTable(first, "report");
    assertThat(held.tryLock()).isTrue();
    assertThat(new MethodLockTable(second, "report").tryLock()).isFalse();
    held.unlock();
    assertThat(new MethodLockTable(second, "report").tryLock()).isTrue();
  }

  @Test
  @Shows("a-row-in-a-table | a crash locks for ever | **yes**")
  void after_a_crash_the_row_stays_for_ever_and_holdfast_goes_on() throws Exception {
    assertThat(new MethodLockTable(first, "report").tryLock()).isTrue();
    first.close(); // the process is gone, and with it the only one that would have deleted the row
    assertThat(new MethodLockTable(second, "report").tryLock()).isFalse();
    new Holdfasts(database.url()).replaceADeadHolder();
  }

  @Test
  @Shows({
    "a-row-in-a-table | frees the lock of others | **yes**",
    "a-row-in-a-table | a stale holder writes | once another freed it"
  })
  void any_client_that_calls_unlock_deletes_the_lock_of_another_and_holdfast_does_not()
      throws Exception {
    assertThat(new MethodLockTable(first, "report").tryLock()).isTrue();
    new MethodLockTable(second, "report").unlock();
    assertThat(new MethodLockTable(second, "report").tryLock()).as("two holders").isTrue();
    try (Statement statement = first.createStatement()) {
      assertThat(statement.executeUpdate("INSERT INTO report VALUES ('of the first holder')"))
          .as("the write is taken")
          .isEqualTo(1);
    }
    new Holdfasts(database.url()).leaveTheNextHolderAlone();
    new Holdfasts(database.url()).refuseAStaleHolder();
  }

  @Test
  @Shows("a-row-in-a-table | not reentrant | **yes**")
  void the_holder_cannot_come_in_again_and_with_holdfast_it_can() throws Exception {
    MethodLockTable held = new MethodLockTable(first, "report");
    assertThat(held.tryLock()).isTrue();
    assertThat(held.tryLock()).as("a method that calls itself waits for itself").isFalse();
    new Holdfasts(database.url()).letTheHolderInAgain();
  }

  @Test
  void the_insert_as_it_is_often_printed_is_not_even_sql() {
    assertThatThrownBy(
            () ->
                database.execute(
                    List.of("INSERT INTO method_lock (method_name, desc) VALUES ('a', 'b')")))
        .isInstanceOf(SQLSyntaxErrorException.class); // desc is a reserved word
  }
}
