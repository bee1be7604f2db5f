package dev.holdfast.examples.stories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.JdbcFence;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Books that must balance: the lock and the fence in the database that keeps them. */
@NeedsServer(Server.POSTGRESQL)
class LedgerIT {

  private Database database;

  @BeforeEach
  void open() throws SQLException {
    database = PostgresServer.shared().newDatabase();
    database.execute(
        List.of(
            "CREATE TABLE entry (id SERIAL PRIMARY KEY, balance BIGINT NOT NULL)",
            "INSERT INTO entry (balance) VALUES (0)"));
    try (Connection connection = database.connect()) {
      JdbcFence.prepare(connection);
    }
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void every_posting_counts_once_although_several_servers_post() throws Exception {
    List<CompletableFuture<Void>> servers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      servers.add(CompletableFuture.runAsync(this::postTenTimes));
    }
    CompletableFuture.allOf(servers.toArray(CompletableFuture<?>[]::new)).join();
    try (Connection connection = database.connect()) {
      assertThat(new Ledger(connection).balance()).isEqualTo(30);
    }
  }

  @Test
  void a_posting_of_an_old_holder_is_refused_as_a_whole() throws Exception {
    try (Holdfast locks = Holdfast.connect(database.url());
        Connection connection = database.connect()) {
      Ledger ledger = new Ledger(connection);
      Proof old;
      try (Lease lease = locks.lock("ledger").acquire()) {
        old = lease.proof();
        ledger.post(1, old);
      }
      try (Lease lease = locks.lock("ledger").acquire()) {
        ledger.post(1, lease.proof());
      }
      assertThatThrownBy(() -> ledger.post(1, old)).isInstanceOf(StaleTokenException.class);
      assertThat(ledger.balance()).isEqualTo(2);
    }
  }

  private void postTenTimes() {
    try (Holdfast locks = Holdfast.connect(database.url());
        Connection connection = database.connect()) {
      for (int i = 0; i < 10; i++) {
        try (Lease lease = locks.lock("ledger").acquire()) {
          new Ledger(connection).post(1, lease.proof());
        }
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
