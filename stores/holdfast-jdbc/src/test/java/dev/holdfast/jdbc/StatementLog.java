package dev.holdfast.jdbc;

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
final class StatementLog implements Connections {

  private final Dialect dialect;
  private final SqliteConnections connections;
  private final List<String> statements = new CopyOnWriteArrayList<>();

  // Mutable state
  private Session session;

  StatementLog(TestDatabase database) {
    dialect = database.dialect();
    connections = new SqliteConnections(SqliteFile.of("sqlite:" + database.file), dialect);
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
  public Session take(int millis) throws SQLException {
    if (session == null) {
      session = new Session(logging(connections.take(millis).connection()), dialect);
    }
    return session;
  }

  @Override
  public void giveBack(Session used) {}

  @Override
  public void discard(Session broken) {
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
