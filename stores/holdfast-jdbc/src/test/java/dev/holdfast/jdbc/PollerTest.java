package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.jdbc.poll.PollInterval;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which clients are woken, and when. Only the test moves the clock. */
class PollerTest {

  private static final Duration WAITING_TTL = Claim.MAX_WAITING_TTL;

  @TempDir Path directory;

  private TestDatabase database;
  private LockStore holders;
  private StatementLog log;
  private LockStore waiters;

  @BeforeEach
  void open() throws Exception {
    database = new TestDatabase(directory);
    holders = database.open();
    log = new StatementLog(database);
    waiters = database.open(log, TestDatabase.TIMEOUT);
  }

  @AfterEach
  void close() throws Exception {
    database.close();
  }

  @Test
  void the_next_in_line_is_woken_soon_after_the_holder_left() throws Exception {
    Claim holder = Ask.mutex("lock");
    Claim next = Ask.mutex("lock");
    Ask.join(holders, holder);
    AtomicInteger hints = waitWith(next);

    pass(Duration.ofMillis(200));
    assertThat(hints).hasValue(0);

    Ask.leave(holders, holder);
    pass(Duration.ofMillis(200 / 8).plus(PollInterval.FAST));

    assertThat(hints).hasPositiveValue();
    assertThat(Ask.refresh(waiters, next)).isInstanceOf(Granted.class);
  }

  @Test
  void the_next_in_line_is_granted_when_the_holder_is_dead() throws Exception {
    Claim dead = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofSeconds(2));
    Claim next = Ask.mutex("lock");
    Ask.join(holders, dead);
    AtomicInteger hints = waitWith(next);

    pass(Duration.ofSeconds(1));
    assertThat(hints).hasValue(0);

    pass(Duration.ofSeconds(1).plusMillis(40));

    assertThat(hints).hasPositiveValue();
    assertThat(database.number("SELECT count(*) FROM holdfast_claim")).isZero();
    assertThat(Ask.refresh(waiters, next)).isInstanceOf(Granted.class);
  }

  @Test
  void those_further_behind_are_left_asleep() throws Exception {
    Claim holder = Ask.mutex("lock");
    Ask.join(holders, holder);
    Ask.queue(holders, Ask.mutex("lock"));
    AtomicInteger hints = waitWith(Ask.mutex("lock"));

    Ask.leave(holders, holder);
    pass(PollInterval.SLOW.multipliedBy(3));

    assertThat(hints).hasValue(0);
  }

  @Test
  void those_further_behind_are_looked_after_less_often() throws Exception {
    Ask.join(holders, Ask.mutex("lock"));
    for (int i = 0; i < 100; i++) {
      Ask.queue(holders, Ask.mutex("lock"));
    }
    waitWith(Ask.mutex("lock"));
    pass(PollInterval.FIRST);
    log.read();

    pass(PollInterval.SLOW.multipliedBy(5));

    assertThat(polls()).isBetween(5L, 11L);
  }

  @Test
  void the_next_in_line_is_looked_after_often_at_first_and_then_less_and_less() throws Exception {
    Ask.join(holders, Ask.mutex("lock"));
    waitWith(Ask.mutex("lock"));
    log.read();

    step(PollInterval.FIRST.minusMillis(1));
    assertThat(polls()).isZero();

    step(Duration.ofMillis(1));
    assertThat(polls()).isEqualTo(1);

    pass(PollInterval.FAST.multipliedBy(6));
    assertThat(polls()).isEqualTo(6);

    pass(Duration.ofSeconds(4));
    log.read();

    pass(Duration.ofSeconds(1));
    assertThat(polls()).isBetween(1L, 2L);
  }

  @Test
  void a_claim_that_has_ended_is_woken_and_then_forgotten() throws Exception {
    Ask.join(holders, Ask.mutex("lock"));
    AtomicInteger hints = waitWith(Ask.mutex("lock"));

    pass(WAITING_TTL.plus(PollInterval.FAST));
    assertThat(hints).hasValue(1);
    log.read();

    pass(PollInterval.SLOW.multipliedBy(5));
    assertThat(polls()).isZero();
  }

  @Test
  void a_claim_that_left_is_polled_no_more() throws Exception {
    Ask.join(holders, Ask.mutex("lock"));
    Claim waiter = Ask.mutex("lock");
    AtomicInteger hints = waitWith(waiter);
    Ask.leave(waiters, waiter);
    log.read();

    pass(PollInterval.SLOW.multipliedBy(5));

    assertThat(hints).hasValue(0);
    assertThat(polls()).isZero();
  }

  @Test
  void a_hint_is_repeated_until_the_client_has_asked() throws Exception {
    Claim holder = Ask.mutex("lock");
    Claim next = Ask.mutex("lock");
    Ask.join(holders, holder);
    AtomicInteger hints = waitWith(next);
    Ask.leave(holders, holder);

    pass(PollInterval.SLOW.multipliedBy(3));
    assertThat(hints).hasValueGreaterThan(1);

    Ask.refresh(waiters, next);
    int before = hints.get();
    pass(PollInterval.SLOW.multipliedBy(3));
    assertThat(hints).hasValue(before);
  }

  @Test
  void a_claim_that_is_probably_granted_is_asked_to_refresh_without_a_poll() throws Exception {
    assertThat(pollsIfLetInBeforeTheFirstLook("first")).isEqualTo(1);
    assertThat(pollsIfLetInBeforeTheFirstLook("second")).isZero();
    assertThat(pollsIfLetInBeforeTheFirstLook("third")).isZero();
  }

  @Test
  void a_claim_asked_to_refresh_too_soon_is_polled_as_usual_and_so_is_the_one_after()
      throws Exception {
    pollsIfLetInBeforeTheFirstLook("first");
    Claim holder = Ask.mutex("lock");
    Claim next = Ask.mutex("lock");
    Ask.join(holders, holder);
    AtomicInteger hints = waitWith(next);
    log.read();

    pass(PollInterval.FIRST);
    assertThat(hints).hasValue(1);
    assertThat(Ask.refresh(waiters, next)).isEqualTo(new Queued(1));
    log.read();

    Ask.leave(holders, holder);
    pass(Duration.ofMillis(40));
    assertThat(hints).hasValue(2);
    assertThat(polls()).isEqualTo(1);
    assertThat(Ask.refresh(waiters, next)).isInstanceOf(Granted.class);

    assertThat(pollsIfLetInBeforeTheFirstLook("second")).isEqualTo(1);
  }

  @Test
  void a_client_that_grants_its_own_claim_needs_no_poll() {
    Claim holder = Ask.mutex("lock");
    Claim next = Ask.mutex("lock");
    Ask.join(waiters, holder);
    AtomicInteger hints = waitWith(next);

    Ask.leave(waiters, holder);

    assertThat(hints).hasValue(1);
  }

  private long pollsIfLetInBeforeTheFirstLook(String lock) throws Exception {
    Claim holder = Ask.mutex(lock);
    Claim next = Ask.mutex(lock);
    Ask.join(holders, holder);
    AtomicInteger hints = waitWith(next);
    Ask.leave(holders, holder);
    log.read();

    pass(PollInterval.FIRST);

    assertThat(hints).hasValue(1);
    long polls = polls();
    assertThat(Ask.refresh(waiters, next)).isInstanceOf(Granted.class);
    Ask.leave(waiters, next);
    return polls;
  }

  private AtomicInteger waitWith(Claim claim) {
    AtomicInteger hints = new AtomicInteger();
    waiters.observe(claim.lock(), hints::incrementAndGet);
    assertThat(Ask.queue(waiters, claim)).isInstanceOf(Queued.class);
    return hints;
  }

  /** In small steps, and each time until what the ticker handed over has been done. */
  private void pass(Duration time) throws Exception {
    Duration step = Duration.ofMillis(10);
    for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
      step(step);
    }
  }

  private void step(Duration time) throws Exception {
    database.advance(time);
    Ask.of(waiters.list("behind what the ticker handed over", 1));
  }

  private long polls() {
    return log.snapshots();
  }
}
