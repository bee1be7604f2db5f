package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.sql.DbClock;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database's clock decides, and what happens when it is wrong. */
class ClockTest {

  private static final Duration TTL = Duration.ofSeconds(30);

  @TempDir Path directory;

  private TestDatabase database;
  private LockStore store;

  @BeforeEach
  void open() throws Exception {
    database = new TestDatabase(directory);
    store = database.open();
  }

  @AfterEach
  void close() throws Exception {
    database.close();
  }

  @Test
  void a_clock_that_steps_back_revives_no_claim_that_was_replaced() throws Exception {
    Claim first = Ask.mutex("lock", TTL);
    Claim second = Ask.mutex("lock", TTL);
    long before = ((Granted) Ask.join(store, first)).token();
    database.advance(TTL.plusMillis(1));
    long after = ((Granted) Ask.join(store, second)).token();

    back(Duration.ofHours(1));

    assertThat(after).isGreaterThan(before);
    assertThat(Ask.refresh(store, first)).isEqualTo(Gone.GONE);
    assertThat(Ask.leave(store, first)).isEqualTo(Left.GONE);
    assertThat(((Granted) Ask.refresh(store, second)).token()).isEqualTo(after);
  }

  @Test
  void a_clock_that_steps_back_revives_no_claim_that_was_overtaken_in_the_queue() throws Exception {
    Claim holder = Ask.mutex("lock", TTL);
    Claim dead = Ask.mutex("lock", TTL); // waits, for at most 10 s
    Claim next = Ask.mutex("lock", TTL);
    Ask.join(store, holder);
    Ask.queue(store, dead);
    database.advance(Duration.ofSeconds(8));
    Ask.queue(store, next);
    database.advance(Duration.ofSeconds(3));
    Ask.leave(store, holder);

    back(Duration.ofHours(1));

    assertThat(Ask.refresh(store, dead)).isEqualTo(Gone.GONE);
    assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
  }

  @Test
  void a_claim_found_expired_stays_gone_when_the_clock_steps_back() throws Exception {
    Claim claim = Ask.mutex("lock", TTL);
    Ask.join(store, claim);
    database.advance(TTL.plusMillis(1));
    assertThat(Ask.refresh(store, claim)).isEqualTo(Gone.GONE);

    back(Duration.ofHours(1));

    assertThat(Ask.refresh(store, claim)).isEqualTo(Gone.GONE);
    assertThat(Ask.join(store, Ask.mutex("lock", TTL))).isInstanceOf(Granted.class);
  }

  @Test
  void tokens_rise_when_the_clock_steps_back() throws Exception {
    Claim first = Ask.mutex("lock", TTL);
    long before = ((Granted) Ask.join(store, first)).token();
    Ask.leave(store, first);

    back(Duration.ofDays(365));

    assertThat(((Granted) Ask.join(store, Ask.mutex("lock", TTL))).token()).isEqualTo(before + 1);
  }

  @Test
  void a_dead_holder_does_not_stay_for_as_long_as_the_clock_stepped_back() throws Exception {
    Ask.join(store, Ask.mutex("lock", TTL));
    back(Duration.ofHours(1));
    assertThat(Ask.join(store, Ask.mutex("lock", TTL)))
        .isInstanceOf(Busy.class); // and it is noticed

    database.advance(TTL.minusMillis(1));
    assertThat(Ask.join(store, Ask.mutex("lock", TTL))).isInstanceOf(Busy.class);
    database.advance(Duration.ofMillis(2));

    assertThat(Ask.join(store, Ask.mutex("lock", TTL))).isInstanceOf(Granted.class);
  }

  @Test
  void a_ttl_never_ends_early_by_a_coarse_clock() {
    long step = 1_000;
    long now = 1_700_000_000_123_999L; // the clock shows ...123_000
    DbClock clock = new DbClock(now / step * step, step);

    assertThat(clock.now() + clock.lifetime(Duration.ofMillis(100)))
        .isGreaterThanOrEqualTo(now + 100_000);
    assertThat(new DbClock(0, step).lifetime(Duration.ofNanos(1))).isEqualTo(2 * step);
    assertThat(clock.until(clock.now() + clock.lifetime(Duration.ofMillis(100))))
        .isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void the_clock_of_sqlite_is_the_time_since_1970() throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:");
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 1_000; i++) {
        long before = System.currentTimeMillis();
        try (ResultSet rows = statement.executeQuery("SELECT " + SqliteDialect.CLOCK)) {
          rows.next();
          assertThat(rows.getLong(1) % 1_000).isZero();
          assertThat(TimeUnit.MICROSECONDS.toMillis(rows.getLong(1)))
              .isBetween(before, System.currentTimeMillis());
        }
      }
    }
  }

  @Test
  void a_waiter_lives_ten_seconds_and_a_holder_its_ttl() throws Exception {
    Claim holder = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofMinutes(1));
    Claim waiter = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofMinutes(1));
    Ask.join(store, holder);
    assertThat(Ask.queue(store, waiter)).isEqualTo(new Queued(1));

    database.advance(Duration.ofSeconds(10).plusMillis(1));

    assertThat(Ask.refresh(store, waiter)).isEqualTo(Gone.GONE);
    assertThat(Ask.refresh(store, holder)).isInstanceOf(Granted.class);
  }

  @Test
  void the_age_of_a_holder_counts_from_its_grant() throws Exception {
    Claim first = Ask.mutex("lock", TTL);
    Claim second = Ask.mutex("lock", TTL);
    Ask.join(store, first);
    Ask.queue(store, second);
    database.advance(Duration.ofSeconds(5));
    assertThat(Ask.of(store.inspect("lock")).waiters().get(0).age())
        .isEqualTo(Duration.ofSeconds(5));

    Ask.leave(store, first);
    database.advance(Duration.ofSeconds(2));

    assertThat(Ask.of(store.inspect("lock")).holders().get(0).age())
        .isEqualTo(Duration.ofSeconds(2));
  }

  private void back(Duration by) throws Exception {
    database.setClock(database.now() - by.toNanos() / 1_000);
  }
}
