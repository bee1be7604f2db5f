package dev.holdfast.jdbc;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.spi.FenceToken;
import java.sql.Connection;
import java.sql.SQLException;

/** The {@link JdbcFence} of a store's database, each call a transaction of its own. Thread-safe. */
final class StoreFence implements Fence {

  private final SqlExecutor executor;

  StoreFence(SqlExecutor executor) {
    this.executor = executor;
  }

  @Override
  public void enter(Proof proof) {
    FenceToken.of(proof);
    FenceToken.refuseOlder(proof, transact(fence -> enter(fence, proof)));
  }

  /** A refusal is an answer, too: only what is unknown ends the work with an exception. */
  private static long enter(JdbcFence fence, Proof proof) {
    try {
      fence.enter(proof);
      return proof.token();
    } catch (StaleTokenException stale) {
      return stale.current();
    }
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
  public void reset(String lock, long token) {
    FenceToken.forReset(lock, token);
    transact(
        fence -> {
          fence.reset(lock, token);
          return token;
        });
  }

  @FunctionalInterface
  private interface Work {
    long run(JdbcFence fence);
  }

  private long transact(Work work) {
    return executor.within("fence", session -> transact(session.connection(), work));
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
