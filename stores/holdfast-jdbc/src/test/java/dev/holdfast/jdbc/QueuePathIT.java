package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.jdbc.dialect.MariaDbDialect;
import dev.holdfast.jdbc.dialect.MySqlDialect;
import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.dialect.PostgresQueuePath;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The path from one holder to the next on each server. */
class QueuePathIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends QueuePathContract {

    private final PostgresDialect dialect = new PostgresDialect();
    private final QueuePath handOff = new PostgresQueuePath(dialect, new OwnerCodec());

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }

    @Override
    String waitCount(String databaseName) {
      return waiting(databaseName);
    }

    static String waiting(String databaseName) {
      return "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '"
          + databaseName
          + "'";
    }

    @Test
    void a_lock_row_that_became_another_while_it_was_waited_for_decides_nothing() throws Exception {
      hold(store());
      String rewrite = "UPDATE holdfast_lock SET queued = queued WHERE name = 'lock'";

      assertThat(during(rewrite, session -> handOff.enqueue(session, late()))).isNull();
      assertThat(during(rewrite, session -> handOff.handOff(session, holder()))).isNull();

      standings(holder(), next(), last());
    }

    @Test
    void a_lock_row_that_was_only_locked_is_the_same() throws Exception {
      hold(store());
      String lock = "SELECT 1 FROM holdfast_lock WHERE name = 'lock' FOR UPDATE";

      assertThat(during(lock, session -> handOff.enqueue(session, late())))
          .isEqualTo(new Queued(3));
      assertThat(during(lock, session -> handOff.handOff(session, holder())))
          .isEqualTo(next().id());

      standings(next(), last(), late());
    }

    @Test
    void the_next_in_line_moves_as_it_is_when_its_turn_comes() throws Exception {
      hold(store());
      String change =
          "SELECT 1 FROM holdfast_lock WHERE name = 'lock' FOR UPDATE;"
              + " UPDATE holdfast_claim SET claim_value = 'new', token_floor = 9000000000000000000"
              + " WHERE seq = 1";

      assertThat(during(change, session -> handOff.handOff(session, holder())))
          .isEqualTo(next().id());

      assertThat(text("SELECT claim_value FROM holdfast_lock WHERE name = 'lock'"))
          .isEqualTo("new");
      assertThat(text("SELECT last_token FROM holdfast_lock WHERE name = 'lock'"))
          .isEqualTo("9000000000000000001");
    }

    @Test
    void a_next_in_line_that_is_no_longer_fit_stays_and_so_does_the_holder() throws Exception {
      hold(store());
      String change =
          "SELECT 1 FROM holdfast_lock WHERE name = 'lock' FOR UPDATE;"
              + " UPDATE holdfast_claim SET expires = 1 WHERE seq = 1";

      assertThat(during(change, session -> handOff.handOff(session, holder()))).isNull();

      standings(holder(), last());
    }

    /** What the step answers that waits for the row until this change is committed. */
    private @Nullable Object during(String change, StoreConnection.Work<@Nullable Object> step)
        throws Exception {
      try (Connection other = database().connect();
          Connection mine = database().connect();
          Statement statement = other.createStatement()) {
        other.setAutoCommit(false);
        statement.execute(change);
        CompletableFuture<@Nullable Object> answer =
            CompletableFuture.supplyAsync(() -> run(step, new StoreConnection(mine, dialect)));
        await().until(() -> text(waitCount(database().name())).equals("1"));
        other.commit();
        return Ask.of(answer);
      }
    }

    private static @Nullable Object run(
        StoreConnection.Work<@Nullable Object> step, StoreConnection session) {
      try {
        return step.run(session);
      } catch (SQLException e) {
        throw new CompletionException(e);
      }
    }
  }

  /** Where a row that has changed fails the statement. */
  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class PostgresqlSerializable extends QueuePathContract {

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }

    @Override
    String waitCount(String databaseName) {
      return Postgresql.waiting(databaseName);
    }

    @Override
    String parameters() {
      return "&options=-c%20default_transaction_isolation=serializable";
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends RenewalContract {

    @Override
    Dialect dialect() {
      return new MySqlDialect();
    }

    @Override
    SqlServer server() {
      return MySqlServer.shared();
    }

    @Override
    String waitCount(String databaseName) {
      return "SELECT COUNT(*) FROM information_schema.innodb_trx t"
          + " JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id"
          + " WHERE t.trx_state = 'LOCK WAIT' AND p.db = '"
          + databaseName
          + "'";
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends RenewalContract {

    @Override
    Dialect dialect() {
      return new MariaDbDialect();
    }

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
    }

    @Override
    String waitCount(String databaseName) {
      return "SELECT COUNT(*) FROM information_schema.innodb_trx t"
          + " JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id"
          + " WHERE t.trx_state = 'LOCK WAIT' AND p.db = '"
          + databaseName
          + "'";
    }
  }
}
