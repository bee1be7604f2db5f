package dev.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connection that lets something else happen right before one of its statements. */
final class Interleaved {

  private Interleaved() {}

  /**
   * Does the work once, before the first statement that starts with this text is prepared.
   *
   * @param real what everything is passed on to
   */
  static Connection before(Connection real, String start, Runnable work) {
    AtomicBoolean done = new AtomicBoolean();
    return (Connection)
        Proxy.newProxyInstance(
            Interleaved.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && String.valueOf(arguments[0]).startsWith(start)
                  && done.compareAndSet(false, true)) {
                work.run();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
