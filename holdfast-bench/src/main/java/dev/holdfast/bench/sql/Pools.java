package dev.holdfast.bench.sql;

import com.zaxxer.hikari.HikariDataSource;

/** Connections as an application has them. */
final class Pools {

  private Pools() {}

  /** HikariCP with its defaults, which are also Spring Boot's: ten connections. */
  static HikariDataSource open(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    return pool;
  }
}
