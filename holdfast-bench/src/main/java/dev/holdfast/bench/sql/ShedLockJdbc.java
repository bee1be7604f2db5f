package dev.holdfast.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.ShedLock;
import java.util.Set;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock, by the database's clock as its documentation recommends. Its owner is the host, so it
 * does not distinguish two processes of a machine, or two threads.
 */
final class ShedLockJdbc {

  static final Contender CONTENDER = Contender.peer("ShedLock JDBC", Set.of(), ShedLockJdbc::open);

  static final String TABLE =
      "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP NOT NULL,"
          + " locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)";

  private ShedLockJdbc() {}

  private static Client open(String url) {
    HikariDataSource pool = Pools.open(url);
    return new ShedLock(
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build()),
        pool::close);
  }
}
