package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import dev.holdfast.servers.ConsulCluster;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A new leader keeps dead sessions for two more ttls. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class LeaderChangeIT {

  private static final Duration TTL = Duration.ofSeconds(3);

  /** How long before a session would end its leader is killed. */
  private static final Duration BEFORE_THE_END = Duration.ofSeconds(1);

  private static final int ATTEMPTS = 5;

  @Test
  void a_dead_holder_is_replaced_within_the_expiry_lag_although_the_leader_changed() {
    try (ConsulCluster cluster = ConsulCluster.start(ConsulFixture.SETTINGS);
        Ticker ticker = Ticker.system("leader-change-it");
        LockStore store =
            new ConsulProvider()
                .open(
                    cluster.url() + "?min-ttl=1s",
                    new StoreSettings(ticker, Duration.ofSeconds(20)))) {
      Takeover takeover = takeover(cluster, store);

      assertThat(takeover.took())
          .as("time from the death of the holder to the next grant")
          .isGreaterThanOrEqualTo(takeover.leaderKilled().plus(TTL.multipliedBy(2)))
          .isLessThanOrEqualTo(TTL.plus(store.traits().expiryLag()));
    }
  }

  /** What was measured with a short ttl must also hold for the default one. */
  @Test
  void the_expiry_lag_has_room_for_a_change_of_leader_at_the_default_ttl() {
    Duration defaultTtl = LockOptions.defaults().ttl();
    Duration threeMinutes = Duration.ofMinutes(3);
    Traits traits = ConsulLockStore.traits(Duration.ofSeconds(10));
    Traits coarse = ConsulLockStore.traits(threeMinutes);

    assertThat(traits.expiryLag()).isGreaterThan(defaultTtl.multipliedBy(3));
    assertThat(coarse.expiryLag()).isGreaterThan(threeMinutes.multipliedBy(3));
  }

  /**
   * Times since the holder was last confirmed.
   *
   * @param leaderKilled when the leader was killed, while the holder was still in the way
   * @param took when the next claim was granted
   */
  private record Takeover(Duration leaderKilled, Duration took) {}

  /** If this machine was too slow to catch the session before its end, it tries again. */
  private static Takeover takeover(ConsulCluster cluster, LockStore store) {
    for (int i = 0; i < ATTEMPTS; i++) {
      String lock = Ask.name();
      long died = System.nanoTime();
      Ask.granted(store, Ask.mutex(lock, TTL));
      Duration end = TTL.multipliedBy(2).minus(BEFORE_THE_END);
      Awaitility.await().atMost(TTL.multipliedBy(4)).until(() -> since(died).compareTo(end) > 0);
      ConsulServer leader = cluster.leaderSeenBy(cluster.nodes().get(0));
      Duration leaderKilled = since(died);
      leader.kill();
      try {
        ConsulServer other = cluster.nodes().get(leader == cluster.nodes().get(0) ? 1 : 0);
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> cluster.leaderSeenBy(other) != leader);
        if (Ask.of(store.inspect(lock)).isHeld()) {
          Awaitility.await()
              .atMost(TTL.plus(store.traits().expiryLag()))
              .until(() -> Ask.join(store, Ask.mutex(lock)) instanceof Granted);
          return new Takeover(leaderKilled, since(died));
        }
      } finally {
        leader.restart();
      }
    }
    throw new AssertionError("each session had ended before its leader was killed");
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
