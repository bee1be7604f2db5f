package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.JdbcFence;
import dev.holdfast.jdbc.JdbcLockStore;
import dev.holdfast.jdbc.JdbcOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

/** The samples of docs/stores/jdbc.md. */
class JdbcSamplesTest {

  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    String url = "jdbc:h2:mem:samples;DB_CLOSE_DELAY=-1";
    // sample: connect
    // jdbc:postgresql://db-1/app?user=app, jdbc:mysql://db-1/app, jdbc:mariadb://db-1/app …
    Holdfast locks = Holdfast.connect(url);
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_store_works_on_the_connections_of_its_caller() throws Exception {
    Holdfast.connect("jdbc:h2:mem:callers;DB_CLOSE_DELAY=-1").close(); // makes the tables
    DataSource dataSource = JdbcConnectionPool.create("jdbc:h2:mem:callers", "", "");
    // sample: data-source
    JdbcOptions options = JdbcOptions.defaults().createTables(false).listen(false);
    Holdfast locks = Holdfast.builder().store(JdbcLockStore.over(dataSource, options)).build();
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_lock_and_a_fence_share_a_database() throws Exception {
    String url = "jdbc:h2:mem:fenced;DB_CLOSE_DELAY=-1";
    DataSource dataSource = JdbcConnectionPool.create(url, "", "");
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      JdbcFence.prepare(connection);
      statement.execute("CREATE TABLE invoice (id INT PRIMARY KEY)");
    }
    int invoice = 42;
    try (Holdfast locks = Holdfast.connect(url)) {
      // sample: quick-start
      try (Lease lease = locks.lock("invoice/42").acquire();
          Connection transaction = dataSource.getConnection()) {
        transaction.setAutoCommit(false);
        JdbcFence.in(transaction).enter(lease.proof()); // refuses earlier holders
        post(transaction, invoice);
        transaction.commit();
      }
      // end
      assertThat(locks.inspect("invoice/42").isHeld()).isFalse();
    }
  }

  private static void post(Connection transaction, int invoice) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("INSERT INTO invoice VALUES (?)")) {
      insert.setInt(1, invoice);
      insert.executeUpdate();
    }
  }

  private static void assertThatItWorks(Holdfast locks) throws InterruptedException {
    try (locks;
        Lease lease = locks.lock("invoice/42").acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }
}
