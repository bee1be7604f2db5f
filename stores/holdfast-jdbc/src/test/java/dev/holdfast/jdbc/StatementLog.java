package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.StoreConnection;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store's own connection to a file, with every statement that it runs written down. */
final class StatementLog implements ConnectionPool {

  private final Dialect dialect;
  private final ConnectionPool connections;
  private final List<String> statements = new CopyOnWriteArrayList<>();

  // Mutable state
  private StoreConnection session;

  StatementLog(TestDatabase database) {
    dialect = database.dialect();
    connections = SqliteConnections.pool(SqliteFile.of("sqlite:" + database.file), dialect);
  }

  /** The first word of each statement since the last call. */
  List<String> read() {
    List<String> result =
        statements.stream().map(sql -> sql.strip().replaceAll("(?s)\\s.*", "")).toList();
    statements.clear();
    return result;
  }

  /** How many times queues were read without a transaction since the last call. */
  long snapshots() {
    long result = statements.stream().filter(sql -> sql.contains("WHERE name IN (")).count();
    statements.clear();
    return result;
  }

  @Override
  public StoreConnection take(int millis) throws SQLException {
    if (session == null) {
      session = new StoreConnection(logging(connections.take(millis).jdbc()), dialect);
    }
    return session;
  }

  @Override
  public void giveBack(StoreConnection used) {}

  @Override
  public void discard(StoreConnection broken) {
    throw new AssertionError("nothing breaks in these tests");
  }

  @Override
  public void close() {
    connections.close();
  }

  /** The connection, but closing it only runs this. */
  static Connection closing(Connection connection, Runnable close) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          if (method.getName().equals("close")) {
            close.run();
            return null;
          }
          return call(connection, method, arguments);
        });
  }

  private Connection logging(Connection connection) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object result = call(connection, method, arguments);
          return result instanceof PreparedStatement statement
              ? logging(statement, (String) arguments[0])
              : result;
        });
  }

  private PreparedStatement logging(PreparedStatement statement, String sql) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            statements.add(sql);
          }
          return call(statement, method, arguments);
        });
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
