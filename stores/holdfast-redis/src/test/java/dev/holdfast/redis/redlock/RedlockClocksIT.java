package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clocks of five nodes that jump by an hour. */
@NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
class RedlockClocksIT {

  private static final Duration HOUR = Duration.ofHours(1);

  private RedlockServers servers;
  private Ticker ticker;
  private LockStore store;
  private String lock;

  @BeforeEach
  void open() {
    servers = RedlockServers.startWithClocks(5, Duration.ofSeconds(60));
    ticker = Ticker.system("test");
    store =
        new RedlockProvider()
            .open(servers.url(), new StoreSettings(ticker, Duration.ofSeconds(10)));
    lock = Ask.name();
  }

  @AfterEach
  void close() {
    store.close();
    ticker.close();
    servers.close();
  }

  @Test
  void two_clocks_that_jump_ahead_grant_nothing() {
    Claim holder = Ask.mutex(lock);
    long token = Ask.granted(store, holder).token();
    // A node that is slow today takes part a little later.
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> has(0) && has(1));
    shift(0, HOUR);
    shift(1, HOUR);

    assertThat(has(0) || has(1)).as("whether these nodes still have it").isFalse();
    assertThat(Ask.join(store, Ask.mutex(lock))).isInstanceOf(Busy.class);
    assertThat(Ask.refresh(store, holder)).isEqualTo(new Granted(token));
    assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);
    assertThat(Ask.granted(store, Ask.mutex(lock)).token()).isGreaterThan(token);
  }

  @Test
  void clocks_that_jump_back_keep_neither_a_release_nor_a_quorum_from_working() {
    Claim holder = Ask.mutex(lock);
    long first = Ask.granted(store, holder).token();
    shift(0, HOUR.negated());
    shift(1, HOUR.negated());

    assertThat(Ask.refresh(store, holder)).isEqualTo(new Granted(first));
    assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);
    Claim dead = Ask.mutex(lock);
    long second = Ask.granted(store, dead).token();
    assertThat(second).isGreaterThan(first);
    // A node that is slow today would grant it only after its clock has jumped.
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> has(2) && has(3) && has(4));
    shift(2, HOUR); // there it ends now; on the others later
    shift(3, HOUR);
    shift(4, HOUR);
    assertThat(Ask.granted(store, Ask.mutex(lock)).token()).isGreaterThan(second);
  }

  /** Exclusion is lost again and again, the order never. */
  @Test
  void tokens_rise_whatever_all_clocks_do() {
    long last = 0;
    for (int round = 0; round < 10; round++) {
      long token = Ask.granted(store, Ask.mutex(lock).asking(round % 3, 0)).token();
      assertThat(token).as("in round %s", round).isGreaterThan(last);
      last = token;
      Duration by = HOUR.multipliedBy(round % 2 == 0 ? round + 1 : -round);
      for (int node = 0; node < 5; node++) {
        shift(node, round % 2 == 0 || node % 2 == 0 ? by : Duration.ZERO);
      }
      Ask.of(store.evict(lock, LockStore.ANY_TOKEN));
    }
  }

  private boolean has(int node) {
    return Long.valueOf(1)
        .equals(servers.node(node).command("EXISTS", "holdfast:redlock:{" + lock + "}"));
  }

  private void shift(int node, Duration by) {
    servers.node(node).shiftClock(by);
  }
}
