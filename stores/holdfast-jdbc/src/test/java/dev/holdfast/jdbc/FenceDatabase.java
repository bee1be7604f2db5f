package dev.holdfast.jdbc;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BiConsumer;

/** A database with a fence and one account to protect. */
final class FenceDatabase {

  /** What a transaction does. */
  @FunctionalInterface
  interface Work {
    void run(Connection connection) throws SQLException;
  }

  private final String url;

  FenceDatabase(String url) {
    this.url = url;
    try (Connection connection = autoCommitting()) {
      JdbcFence.prepare(connection);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    alone("DROP TABLE IF EXISTS test_account");
    alone("CREATE TABLE test_account (id INT PRIMARY KEY, balance INT, fence BIGINT NOT NULL)");
    alone("INSERT INTO test_account VALUES (1, 100, 0)");
  }

  /** A fence that uses a separate transaction for each call. */
  Fence fence() {
    return new Fence() {
      @Override
      public void enter(Proof proof) {
        alone(proof, JdbcFence::enter);
      }

      @Override
      public void check(Proof proof) {
        alone(proof, JdbcFence::check);
      }

      @Override
      public long current(String lock) {
        try (Connection connection = autoCommitting()) {
          return JdbcFence.in(connection).current(lock);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void reset(String lock, long token) {
        transact(connection -> JdbcFence.in(connection).reset(lock, token));
      }
    };
  }

  private void alone(Proof proof, BiConsumer<JdbcFence, Proof> call) {
    transact(connection -> call.accept(JdbcFence.in(connection), proof));
  }

  /** Commits what was done, or nothing. */
  void transact(Work work) {
    try (Connection connection = begin()) {
      try {
        work.run(connection);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  Connection begin() {
    try {
      Connection connection = autoCommitting();
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  Connection autoCommitting() throws SQLException {
    return DriverManager.getConnection(url);
  }

  static void set(Connection connection, int balance) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE test_account SET balance = " + balance + " WHERE id = 1");
    }
  }

  int balance() {
    return number("balance");
  }

  int number(String column) {
    try (Connection connection = autoCommitting();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT " + column + " FROM test_account")) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void alone(String sql) {
    try (Connection connection = autoCommitting();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
