package dev.holdfast.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A data source that refuses several statements at once, as those that look for attacks do. */
final class Filtered {

  private Filtered() {}

  static DataSource of(DataSource real) {
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object result = call(real, method, arguments);
          return result instanceof Connection connection ? of(connection) : result;
        });
  }

  private static Connection of(Connection real) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("prepareStatement")
              && String.valueOf(arguments[0]).contains(";")) {
            throw new SQLException("several statements are not permitted");
          }
          return call(real, method, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
