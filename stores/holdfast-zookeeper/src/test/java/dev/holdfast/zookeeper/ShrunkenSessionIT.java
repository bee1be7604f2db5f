package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** A session is moved to a server that allows less: the session ends sooner than it did. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class ShrunkenSessionIT {

  private static final Duration SHORT = Duration.ofSeconds(2);

  /** Sessions of 4 s break again and again while a machine is busy. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @Test
  void a_claim_that_the_session_no_longer_outlives_is_lost() throws Exception {
    try (ZooKeeperServer generous = ZooKeeperServer.start();
        ZooKeeperScene scene = new ZooKeeperScene()) {
      generous.kill();
      try (ZooKeeperServer strict =
          ZooKeeperServer.start("dataDir=" + generous.data(), "maxSessionTimeout=4000")) {
        strict.kill(); // both keep the same data, so only one of them may run
        generous.restart();
        LockStore store = scene.open(generous.url() + ",127.0.0.1:" + strict.port());
        Claim tooLong = mutex(ZooKeeperScene.name());
        granted(store, tooLong);

        generous.kill();
        strict.restart();

        // The claim may end by its own ttl before the client gets to the other server.
        eventually()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(store.join(mutex(ZooKeeperScene.name()), true, Deadlines.far()))
                        .failsWithin(Duration.ofSeconds(30))
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(IllegalArgumentException.class)
                        .withMessageContaining("PT3S"));
        eventually()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(standing(store, tooLong)).isEqualTo(Gone.GONE));
        Claim next = ZooKeeperScene.lasting(mutex(tooLong.lock()), SHORT);
        eventually()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(answer(store.join(next, true, Deadlines.far())))
                        .isInstanceOf(Granted.class));
      }
    }
  }
}
