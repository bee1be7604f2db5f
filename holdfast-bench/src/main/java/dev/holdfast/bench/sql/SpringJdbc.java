package dev.holdfast.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.JavaLock;
import dev.holdfast.bench.contender.Mutex;
import java.time.Duration;
import java.util.Set;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's registry of locks; renewing is left to the caller. */
record SpringJdbc(
    JdbcLockRegistry registry, DefaultLockRepository repository, HikariDataSource pool)
    implements Client {

  static final String TABLE =
      "CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,"
          + " CLIENT_ID CHAR(36), CREATED_DATE TIMESTAMP NOT NULL, EXPIRED_AFTER TIMESTAMP NOT NULL,"
          + " PRIMARY KEY (LOCK_KEY, REGION))";

  // As the others: nothing is renewed, and 10 s, its default, are shorter than some slices.
  private static final Duration TTL = Duration.ofSeconds(30);

  static Contender contender(SqlDialect dialect) {
    return Contender.peer(
        "Spring JDBC",
        Set.of(Feature.OWNER_CHECK, Feature.WAITING, Feature.REENTRANT),
        url -> open(url, dialect));
  }

  private static Client open(String url, SqlDialect dialect) {
    HikariDataSource pool = Pools.open(url);
    DefaultLockRepository repository = new DefaultLockRepository(pool);
    repository.setTransactionManager(new JdbcTransactionManager(pool));
    if (dialect == SqlDialect.POSTGRESQL) {
      // Its documentation says so: otherwise each busy lock is an error in the server's log.
      repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
    }
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    return new SpringJdbc(new JdbcLockRegistry(repository, TTL), repository, pool);
  }

  @Override
  public Mutex mutex(String name) {
    return new JavaLock(registry.obtain(name));
  }

  @Override
  public void close() {
    repository.stop();
    pool.close();
  }
}
