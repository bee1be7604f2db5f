package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
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
}
