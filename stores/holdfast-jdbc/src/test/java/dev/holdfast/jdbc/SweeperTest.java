package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.jdbc.queue.Sweeper;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the sweep removes, and what it must not. */
class SweeperTest {

  private static final String LOCKS = "SELECT count(*) FROM holdfast_lock";
  private static final String CLAIMS = "SELECT count(*) FROM holdfast_claim";
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PERIOD = Duration.ofSeconds(10);

  @TempDir Path directory;

  private TestDatabase database;
  private LockStore store;

  @BeforeEach
  void open() throws Exception {
    database = new TestDatabase(directory);
    store = database.open();
    sweep();
  }

  @AfterEach
  void close() throws Exception {
    database.close();
  }

  @Test
  void an_idle_lock_is_forgotten_after_an_hour_and_its_next_token_is_greater() throws Exception {
    long token = useOnce("lock");

    database.advance(HOUR.minus(PERIOD.multipliedBy(2)));
    sweep();
    assertThat(database.number(LOCKS)).isEqualTo(1);

    database.advance(PERIOD.multipliedBy(3));
    sweep();
    assertThat(database.number(LOCKS)).isZero();
    assertThat(useOnce("lock")).isGreaterThan(token);
  }

  @Test
  void a_lock_whose_tokens_are_ahead_of_the_clock_is_kept() throws Exception {
    long far = database.now() + HOUR.multipliedBy(3).toNanos() / 1_000;
    Claim claim = Ask.mutex("lock").asking(0, far);
    Ask.join(store, claim);
    Ask.leave(store, claim);

    database.advance(HOUR.multipliedBy(3));
    sweep();

    assertThat(database.number(LOCKS)).isEqualTo(1);
    assertThat(useOnce("lock")).isGreaterThan(far);
  }

  @Test
  void the_token_rises_even_if_the_clock_is_set_back_after_the_lock_was_forgotten()
      throws Exception {
    long token = useOnce("lock");
    database.advance(HOUR.plus(PERIOD.multipliedBy(2)));
    sweep();
    assertThat(database.number(LOCKS)).isZero();

    database.setClock(database.now() - HOUR.toNanos() / 1_000);

    assertThat(useOnce("lock")).isGreaterThan(token);
  }

  @Test
  void a_held_lock_is_never_forgotten() throws Exception {
    Claim claim = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofDays(1));
    Ask.join(store, claim);

    database.advance(HOUR.multipliedBy(5));
    sweep();

    assertThat(database.number(LOCKS)).isEqualTo(1);
    assertThat(Ask.refresh(store, claim)).isInstanceOf(Granted.class);
  }

  @Test
  void a_lock_that_a_dead_holder_left_is_forgotten() throws Exception {
    Ask.join(store, Ask.mutex("lock"));

    database.advance(HOUR.multipliedBy(2));
    sweep();

    assertThat(database.number(LOCKS)).isZero();
  }

  @Test
  void dead_claims_and_old_tombstones_are_removed() throws Exception {
    Duration ttl = Duration.ofSeconds(30);
    Ask.join(store, Ask.claim("shared", Kind.SEMAPHORE, 1, 3, ttl));
    Ask.join(store, Ask.claim("shared", Kind.SEMAPHORE, 1, 3, ttl));
    Ask.leave(store, Departure.withTombstone(Ask.mutex("tombstone", ttl)));
    assertThat(database.number(CLAIMS)).isEqualTo(2);

    database.advance(ttl.plusSeconds(10));
    sweep();

    assertThat(database.number(CLAIMS)).isZero();
    assertThat(database.number("SELECT sum(queued) FROM holdfast_lock")).isZero();
  }

  @Test
  void one_client_sweeps_for_all() throws Exception {
    StatementLog log = new StatementLog(database);
    LockStore other = database.open(log, TestDatabase.TIMEOUT);
    Ask.of(other.inspect("behind the sweep that opening starts"));
    log.read();

    database.advance(PERIOD); // both look, the first one does it
    Ask.of(store.inspect("lock"));
    Ask.of(other.inspect("lock"));

    long sweptNow =
        database.number("SELECT swept_at = (SELECT micros FROM test_clock) FROM holdfast_schema");
    assertThat(sweptNow).isEqualTo(1);
    assertThat(log.read()).containsAnyOf("SELECT").doesNotContain("DELETE");
  }

  @Test
  void a_stretch_ends_and_the_next_sweep_goes_on_from_there() throws Exception {
    database.run(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                .formatted(Sweeper.STRETCH + 10)
            + " INSERT INTO holdfast_lock (name, format, kind, capacity, last_token, queued,"
            + " weight, token, since, ttl, expires)"
            + " SELECT printf('lock %05d', i), 1, 'MUTEX', 1, 1, 0, 1, 0, 0, 0, 0 FROM n");

    database.advance(PERIOD);
    Ask.of(store.inspect("behind the sweep"));
    assertThat(database.number(LOCKS)).isEqualTo(10);

    database.advance(PERIOD);
    Ask.of(store.inspect("behind the sweep"));
    assertThat(database.number(LOCKS)).isZero();
  }

  @Test
  void it_goes_on_sweeping_when_the_clock_was_set_back() throws Exception {
    useOnce("lock");
    database.run("UPDATE holdfast_lock SET last_token = 1");
    database.setClock(database.now() - HOUR.multipliedBy(5).toNanos() / 1_000);

    database.ticker.advance(PERIOD);
    Ask.of(store.inspect("behind the sweep"));

    assertThat(database.number(LOCKS)).isZero();
  }

  private long useOnce(String lock) {
    Claim claim = Ask.mutex(lock);
    long token = ((Granted) Ask.join(store, claim)).token();
    Ask.leave(store, claim);
    return token;
  }

  /** Lets a sweep come due and waits for it. */
  private void sweep() throws Exception {
    database.advance(PERIOD);
    Ask.of(store.inspect("behind the sweep"));
  }
}
