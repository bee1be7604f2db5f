package dev.holdfast.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.ShedLock;
import java.util.Set;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock, by the database's clock as its documentation recommends. Its owner is the host. */
record ShedLockJdbc() implements Contender {

  static final String TABLE =
      "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP NOT NULL,"
          + " locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)";

  @Override
  public String label() {
    return "ShedLock JDBC";
  }

  @Override
  public Role role() {
    return Role.PEER;
  }

  @Override
  public Set<Feature> features() {
    return Set.of();
  }

  @Override
  public Client open(String url) {
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
