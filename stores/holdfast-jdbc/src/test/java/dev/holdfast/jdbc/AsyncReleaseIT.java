package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Releases that need not be on disk, on a server whose commits wait for a standby that is absent.
 */
@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class AsyncReleaseIT {

  private static final Duration BRIEF = Duration.ofMillis(300);

  @Test
  void a_release_does_not_wait_for_its_commit_and_all_else_does() throws Exception {
    try (ManualTicker ticker = new ManualTicker();
        PostgresServer server = PostgresServer.start();
        Database database = server.newDatabase();
        LockStore store =
            new JdbcProvider()
                .open(
                    database.url() + "&holdfast.listen=false&holdfast.async-releases=true",
                    new StoreSettings(ticker, Duration.ofSeconds(20)))) {
      // Others than those that are released: a commit that waits keeps its row locked.
      Claim renewed = Ask.mutex("renewed");
      Claim another = Ask.mutex("another");
      List<Claim> released = List.of(Ask.mutex("a"), Ask.mutex("b"));
      Stream.concat(Stream.of(renewed, another), released.stream())
          .forEach(claim -> assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class));
      standby(server, "SET synchronous_standby_names = 'absent'");

      await().atMost(Duration.ofMinutes(1)).until(() -> !isRenewed(store, renewed));
      assertThat(Ask.leave(store, released.get(0))).isEqualTo(Left.LEFT);
      assertThat(isRenewed(store, another)).isFalse();
      assertThat(Ask.leave(store, released.get(1))).isEqualTo(Left.LEFT);

      standby(server, "RESET synchronous_standby_names");
    }
  }

  private static boolean isRenewed(LockStore store, Claim claim) {
    Map<Claim, Standing> answers =
        store
            .refresh(List.of(claim), Deadlines.in(BRIEF))
            .toCompletableFuture()
            .exceptionally(unknown -> Map.of())
            .join();
    return answers.get(claim) instanceof Granted;
  }

  private static void standby(PostgresServer server, String change) throws Exception {
    try (Connection admin = server.admin();
        Statement statement = admin.createStatement()) {
      statement.execute("ALTER SYSTEM " + change);
      statement.execute("SELECT pg_reload_conf()");
    }
  }
}
