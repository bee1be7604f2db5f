package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.DriverConnections;
import dev.holdfast.jdbc.connection.JdbcDriver;
import dev.holdfast.jdbc.connection.JdbcUrl;
import dev.holdfast.spi.support.Secrets;
import dev.holdfast.spi.support.StoreUrl;
import java.lang.reflect.Proxy;
import java.util.Properties;
import javax.sql.DataSource;

/** A data source without a pool. */
final class TestDataSource {

  private TestDataSource() {}

  static DataSource of(String url) {
    String scheme = StoreUrl.scheme(url);
    DriverConnections connections =
        new DriverConnections(
            JdbcDriver.BY_SCHEME.get(scheme).load(scheme),
            JdbcUrl.of(url).driverUrl(),
            new Properties(),
            Secrets.unknown());
    return (DataSource)
        Proxy.newProxyInstance(
            TestDataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getConnection" -> connections.open();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
