package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.JdbcLockStore;
import dev.holdfast.jdbc.JdbcOptions;
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

  private static void assertThatItWorks(Holdfast locks) throws InterruptedException {
    try (locks;
        Lease lease = locks.lock("invoice/42").acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }
}
