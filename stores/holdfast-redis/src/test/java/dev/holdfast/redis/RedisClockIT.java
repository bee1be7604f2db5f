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
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.store.Ask;
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
  void a_clock_that_jumps_back_revives_no_claim_and_tokens_still_rise() {
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
  void the_only_waiter_behind_an_expired_holder_is_granted_for_good() {
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
  void a_waiter_that_was_not_renewed_in_time_is_not_granted() {
    Ask.granted(store, holder);
    Ask.queue(store, next);

    server.shiftClock(Claim.MAX_WAITING_TTL.plusSeconds(1));
    assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);
    server.shiftClock(Duration.ZERO);

    assertThat(Ask.refresh(store, next)).isEqualTo(Gone.GONE);
    assertThat(Ask.of(store.inspect("lock")).isHeld()).isFalse();
  }

  @Test
  void a_granted_waiter_keeps_its_waiting_ttl_until_its_refresh() {
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
  void spares_run_ahead_of_the_clock_by_a_minute_and_not_more() {
    Claim asking = holder.asking(1_000, 0);
    long token = Ask.granted(store, asking).token();
    long hour = Duration.ofHours(1).toSeconds() * 1_000_000;

    assertThat(sparesBeyond(asking, token + Tokens.AHEAD_MICROS / 2)).isEqualTo(1_000);
    assertThat(sparesBeyond(asking, token + hour)).isZero();
    assertThat(Ask.leave(store, asking)).isEqualTo(Left.LEFT);
    assertThat(Ask.granted(store, next.asking(1_000, 0)).spares().count()).isZero();

    server.shiftClock(Duration.ofHours(1));
    assertThat(Ask.refresh(store, next)).isEqualTo(Gone.GONE);
    assertThat(Ask.granted(store, Ask.mutex("lock").asking(1_000, 0)).spares().count())
        .isEqualTo(1_000);
  }

  private int sparesBeyond(Claim claim, long floor) {
    return ((Granted) Ask.refresh(store, claim.asking(1_000, floor))).spares().count();
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
