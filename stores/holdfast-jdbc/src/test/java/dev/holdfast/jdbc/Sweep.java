package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.queue.QueueReader;
import dev.holdfast.jdbc.queue.SlowPath;
import dev.holdfast.jdbc.queue.Sweeper;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.spi.Ticker;
import java.time.Duration;

/** What the sweep does in time, done now: nothing is kept for an hour. */
final class Sweep {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private Sweep() {}

  static void now(Ticker ticker, Dialect dialect, ConnectionPool connections) {
    SqlExecutor executor = new SqlExecutor("", dialect, connections, 1, TIMEOUT);
    SlowPath slow =
        new SlowPath(
            new QueueReader(dialect, new OwnerCodec()), null, (lock, ids) -> {}, (id, left) -> {});
    Sweeper sweeper = new Sweeper(ticker, executor, slow, dialect, Duration.ZERO, Duration.ZERO);
    executor
        .submit(
            "sweep",
            "",
            session -> {
              session.run("UPDATE holdfast_schema SET swept_name = ''");
              sweeper.sweep(session);
              return true;
            })
        .join();
    executor.close();
  }
}
