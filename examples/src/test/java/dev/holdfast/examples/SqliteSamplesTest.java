package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.JdbcLockStore;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The samples of docs/stores/sqlite.md. */
class SqliteSamplesTest {

  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = directory.resolve("locks.db");
  }

  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    // sample: connect
    Holdfast locks = Holdfast.connect("sqlite:" + file); // sqlite:/var/lib/app/locks.db
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_store_works_on_the_connections_of_its_caller() throws Exception {
    SQLiteDataSource pool = new SQLiteDataSource();
    pool.setUrl("jdbc:sqlite:" + file);
    DataSource dataSource = pool;
    // sample: data-source
    Holdfast locks = Holdfast.builder().store(JdbcLockStore.over(dataSource)).build();
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
