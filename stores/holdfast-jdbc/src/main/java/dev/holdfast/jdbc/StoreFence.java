package dev.holdfast.jdbc;

import dev.holdfast.Proof;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.spi.support.StoredFence;
import java.sql.Connection;
import java.sql.SQLException;

/** The {@link JdbcFence} of a store's database, each call a separate transaction. Thread-safe. */
final class StoreFence extends StoredFence {

  private final SqlExecutor executor;

  StoreFence(SqlExecutor executor) {
    this.executor = executor;
  }

  @Override
  protected long raise(String lock, long token) {
    return transact(fence -> fence.raise(lock, token));
  }

  @Override
  public void check(Proof proof) {
    enter(proof);
  }

  @Override
  public long current(String lock) {
    return transact(fence -> fence.current(lock));
  }

  @Override
  protected void put(String lock, long token) {
    transact(
        fence -> {
          fence.put(lock, token);
          return token;
        });
  }

  @Override
  protected String place(String lock) {
    return JdbcFence.row(lock);
  }

  @FunctionalInterface
  private interface Work {
    long run(JdbcFence fence);
  }

  private long transact(Work work) {
    return executor.within("fence", connection -> transact(connection.jdbc(), work));
  }

  private static long transact(Connection connection, Work work) throws SQLException {
    connection.setAutoCommit(false);
    try {
      long result = work.run(JdbcFence.in(connection));
      connection.commit();
      return result;
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }
}
