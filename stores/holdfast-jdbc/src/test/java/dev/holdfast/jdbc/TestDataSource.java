package dev.holdfast.jdbc;

import dev.holdfast.spi.support.Secrets;
import dev.holdfast.spi.support.StoreUrl;
import java.util.Properties;
import javax.sql.DataSource;

/** A data source without a pool. */
final class TestDataSource {

  private TestDataSource() {}

  static DataSource of(String url) {
    String scheme = StoreUrl.scheme(url);
    return new DriverDataSource(
        JdbcDriver.BY_SCHEME.get(scheme).load(scheme),
        JdbcUrl.of(url).driverUrl(),
        new Properties(),
        Secrets.unknown());
  }
}
