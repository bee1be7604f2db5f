package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims end by the server's clock, and a clock that jumps brings nobody back. */
@NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
class RedisClockIT {

  private static final Duration TTL = Duration.ofSeconds(60);

  private RedisServer server;
  private RedisFixture fixture;
  private LockStore store;
  private final Claim holder = Ask.mutex("lock", TTL);
  private final Claim next = Ask.mutex("lock", TTL.multipliedBy(10));

  @BeforeEach
  void open() {
    server = RedisServer.startWithClock();
    fixture = new RedisFixture(server.url());
    store = fixture.open();
  }

  @AfterEach
  void close() {
    store.close();
    fixture.close();
    server.close();
  }

  @Test
  void a_claim_ends_when_its_ttl_has_passed_and_not_before() {
    long token = Ask.granted(store, holder).token();

    server.shiftClock(TTL.minusSeconds(30));
    assertThat(Ask.join(store, next)).isInstanceOf(Busy.class);
    server.shiftClock(TTL.plusSeconds(1));
    assertThat(Ask.granted(store, next).token()).isGreaterThan(token);
    assertThat(Ask.refresh(store, holder)).isEqualTo(Gone.GONE);
  }

  @Test
  void a_clock_that_jumps_back_revives_nobody_and_tokens_still_rise() {
    long first = Ask.granted(store, holder).token();
    server.shiftClock(Duration.ofHours(1));
    long second = Ask.granted(store, next).token();
    server.shiftClock(Duration.ofHours(-1));

    assertThat(second).isGreaterThan(first);
    assertThat(Ask.refresh(store, holder)).isEqualTo(Gone.GONE);
    assertThat(Ask.refresh(store, next)).isEqualTo(new Granted(second));
    Ask.leave(store, next);
    assertThat(Ask.granted(store, Ask.mutex("lock")).token()).isGreaterThan(second);
  }

  @Test
  void whoever_waits_alone_behind_a_holder_that_ends_is_let_in_for_good() {
    Claim brief = Ask.mutex("lock", Duration.ofSeconds(5));
    long first = Ask.granted(store, brief).token();
    Ask.queue(store, next);

    server.shiftClock(Duration.ofSeconds(7));
    assertThat(Ask.leave(store, brief)).isEqualTo(Left.GONE);
    Granted second = (Granted) Ask.refresh(store, next);
    server.shiftClock(Duration.ZERO);

    assertThat(second.token()).isGreaterThan(first);
    assertThat(Ask.refresh(store, brief)).isEqualTo(Gone.GONE);
    assertThat(Ask.refresh(store, next)).isEqualTo(second);
  }

  @Test
  void whoever_has_waited_too_long_without_renewal_is_not_let_in() {
    Ask.granted(store, holder);
    Ask.queue(store, next);

    server.shiftClock(Claim.MAX_WAITING_TTL.plusSeconds(1));
    assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);
    server.shiftClock(Duration.ZERO);

    assertThat(Ask.refresh(store, next)).isEqualTo(Gone.GONE);
    assertThat(Ask.of(store.inspect("lock")).isHeld()).isFalse();
  }

  @Test
  void whoever_is_let_in_has_the_life_of_a_waiter_until_it_asks() {
    Ask.granted(store, holder);
    Ask.queue(store, next);
    Ask.leave(store, holder);

    server.shiftClock(Claim.MAX_WAITING_TTL.plusSeconds(1));

    assertThat(Ask.refresh(store, next)).isEqualTo(Gone.GONE);
  }

  @Test
  void tokens_rise_when_a_lock_is_passed_on_after_the_clock_has_jumped_back() {
    server.shiftClock(Duration.ofSeconds(30));
    long first = Ask.granted(store, holder).token();
    server.shiftClock(Duration.ZERO);
    Ask.queue(store, next);
    assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);

    assertThat(((Granted) Ask.refresh(store, next)).token()).isGreaterThan(first);
  }

  @Test
  void what_is_renewed_for_long_does_not_expire() {
    Ask.granted(store, holder);
    for (int i = 1; i <= 100; i++) {
      server.shiftClock(Duration.ofSeconds(50L * i));
      assertThat(Ask.refresh(store, holder)).isInstanceOf(Granted.class);
    }

    assertThat((Long) server.command("PTTL", "holdfast:{lock}")).isGreaterThan(3_600_000L);
  }
}
