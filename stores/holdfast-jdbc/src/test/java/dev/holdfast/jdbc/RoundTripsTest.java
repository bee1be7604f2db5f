package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.poll.PollInterval;
import dev.holdfast.jdbc.sql.NameList;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many statements each verb costs. */
class RoundTripsTest {

  @TempDir Path directory;

  private TestDatabase database;
  private StatementLog log;
  private LockStore store;

  @BeforeEach
  void open() throws Exception {
    database = new TestDatabase(directory);
    log = new StatementLog(database);
    store = database.open(log, TestDatabase.TIMEOUT);
    Ask.of(store.inspect("behind the sweep that opening starts"));
    log.read();
  }

  @AfterEach
  void close() throws Exception {
    database.close();
  }

  @Test
  void an_uncontended_lock_is_taken_and_released_by_one_statement_each() {
    for (String lock : List.of("new", "new", "other")) {
      Claim claim = Ask.mutex(lock);

      assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class);
      assertThat(log.read()).containsExactly("INSERT");

      assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
      assertThat(log.read()).containsExactly("UPDATE");
    }
  }

  @Test
  void a_lease_is_renewed_by_one_statement_also_while_others_wait() {
    Claim holder = Ask.mutex("lock");
    Ask.join(store, holder);
    Ask.queue(store, Ask.mutex("lock"));
    log.read();

    assertThat(Ask.refresh(store, holder)).isInstanceOf(Granted.class);

    assertThat(log.read()).containsExactly("UPDATE");
  }

  @Test
  void a_claim_that_was_granted_learns_it_by_one_statement() {
    Claim holder = Ask.mutex("lock");
    Claim next = Ask.mutex("lock");
    Ask.join(store, holder);
    Ask.queue(store, next);
    Ask.leave(store, holder);
    log.read();

    assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);

    assertThat(log.read()).containsExactly("UPDATE");
  }

  @Test
  void a_claim_that_waits_is_renewed_without_asking_whether_it_holds() {
    Claim next = Ask.mutex("lock");
    Ask.join(store, Ask.mutex("lock"));
    Ask.queue(store, next);
    log.read();

    assertThat(Ask.refresh(store, next)).isInstanceOf(Queued.class);

    assertThat(log.read()).containsExactly("BEGIN", "SELECT", "UPDATE", "COMMIT");
  }

  @Test
  void the_lock_of_a_dead_holder_is_taken_by_one_statement() throws Exception {
    Claim dead = Ask.mutex("lock");
    Ask.join(store, dead);
    database.setClock(database.now() + dead.ttl().plusMillis(1).toNanos() / 1_000);
    log.read();

    assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Granted.class);

    assertThat(log.read()).containsExactly("INSERT");
  }

  @Test
  void the_last_of_a_queue_releases_by_one_statement_again() {
    Claim first = Ask.mutex("lock");
    Claim second = Ask.mutex("lock");
    Ask.join(store, first);
    Ask.queue(store, second);
    Ask.leave(store, first);
    log.read();

    assertThat(Ask.leave(store, second)).isEqualTo(Left.LEFT);

    assertThat(log.read()).containsExactly("UPDATE");
  }

  /** Others take an unchanged lock row as a sign that its queue has not changed either. */
  @Test
  void a_claim_that_replaces_an_expired_one_is_written_into_the_lock_row_too() throws Exception {
    Claim holder = Ask.mutex("lock");
    Ask.join(store, holder);
    Ask.queue(store, Ask.mutex("lock"));
    database.setClock(database.now() + Claim.MAX_WAITING_TTL.plusMillis(1).toNanos() / 1_000);
    log.read();

    assertThat(Ask.queue(store, Ask.mutex("lock"))).isEqualTo(new Queued(1));

    assertThat(log.read())
        .containsExactly("INSERT", "BEGIN", "SELECT", "DELETE", "INSERT", "UPDATE", "COMMIT");
  }

  @Test
  void a_busy_answer_writes_nothing() {
    Ask.join(store, Ask.mutex("lock"));
    log.read();

    assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Busy.class);

    assertThat(log.read()).containsExactly("INSERT", "SELECT");
  }

  @Test
  void many_claims_are_refreshed_by_few_statements() {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < NameList.MAX; i++) {
      claims.add(Ask.mutex("lock " + i));
      Ask.join(store, claims.get(i));
    }
    log.read();

    assertThat(Ask.of(store.refresh(claims, Deadlines.far())).values())
        .hasOnlyElementsOfType(Granted.class);

    // One of them is a batch.
    assertThat(log.read()).containsExactly("BEGIN", "SELECT", "UPDATE", "COMMIT");
  }

  @Test
  void nothing_is_polled_while_nobody_waits() throws Exception {
    Ask.join(store, Ask.mutex("lock"));
    log.read();

    database.advance(Duration.ofSeconds(5));
    Ask.of(store.inspect("behind what the ticker handed over"));

    assertThat(log.read()).containsExactly("SELECT");
  }

  @Test
  void all_that_wait_are_polled_by_one_statement() throws Exception {
    for (int i = 0; i < 20; i++) {
      Ask.join(store, Ask.mutex("lock " + i));
      assertThat(Ask.queue(store, Ask.mutex("lock " + i))).isInstanceOf(Queued.class);
    }
    log.read();

    database.advance(PollInterval.FIRST);
    Ask.of(store.inspect("behind what the ticker handed over"));

    assertThat(log.read()).containsExactly("SELECT", "SELECT");
  }
}
