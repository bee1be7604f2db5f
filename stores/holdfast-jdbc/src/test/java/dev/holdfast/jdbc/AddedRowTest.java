package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.jdbc.dialect.H2Dialect;
import dev.holdfast.jdbc.queue.QueueReader;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The row of a lock is added by another client between the locking of rows and their reading. */
class AddedRowTest {

  private static final String URL = "jdbc:h2:mem:added;DB_CLOSE_DELAY=60";

  @Test
  void a_queue_whose_row_was_not_locked_is_not_changed() throws Exception {
    H2Dialect dialect = new H2Dialect();
    ManualTicker ticker = new ManualTicker();
    StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(20));
    try (ticker;
        JdbcLockStore other =
            JdbcLockStore.over(TestDataSource.of(URL), JdbcOptions.defaults(), settings);
        Connection jdbc = DriverManager.getConnection(URL)) {
      Ask.of(other.inspect("opened"));
      Connection interleaved =
          Interleaved.before(jdbc, "SELECT t.now", () -> Ask.join(other, Ask.mutex("lock")));
      StoreConnection connection = new StoreConnection(interleaved, dialect);
      QueueReader reader = new QueueReader(dialect, new OwnerCodec());

      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(
              () ->
                  connection.inTransaction(held -> reader.forUpdate(held, List.of("lock"), false)))
          .matches(dialect::isRetryable);
    }
  }
}
