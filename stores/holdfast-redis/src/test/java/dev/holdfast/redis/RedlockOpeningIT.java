package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.Stores;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What can be wrong with a quorum is told in one line; and what the doctor finds. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedlockOpeningIT {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redlock://h1                       | an odd number of servers, at least 3, not 1",
        "redlock://h1,h2                    | an odd number of servers, at least 3, not 2",
        "redlock://h1,h2,h3,h4              | an odd number of servers, at least 3, not 4",
        "redlock://h1,h2,h1                 | a host is given twice",
        "redlock://h1,h2,h1:6379            | a host is given twice",
        "redlock://h1,h2,                   | a host or its port is missing",
        "redlock://h1,h2,h3?waitForReplicas=1 | does not go with redlock://",
      })
  void a_url_that_makes_no_quorum_is_refused(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisAddress.parse(url))
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
  }

  @Test
  void each_node_has_the_credentials_and_the_tls_of_the_url() {
    List<RedisAddress> each =
        RedisAddress.parse("redlock://ann:CANARY@h1,h2:7000,[::1]/2?tls=true&prefix=app:").each();

    assertThat(each).hasSize(3).allMatch(RedisAddress::isTls);
    assertThat(each).extracting(RedisAddress::user).containsOnly("ann");
    assertThat(each).extracting(RedisAddress::password).containsOnly("CANARY");
    assertThat(each).extracting(RedisAddress::database).containsOnly(2);
    assertThat(each)
        .extracting(RedisAddress::text)
        .containsExactly("rediss://h1:6379", "rediss://h2:7000", "rediss://[::1]:6379");
  }

  @Test
  void nodes_that_nobody_has_set_up_are_refused() {
    List<RedisServer> servers = RedisServer.startIndependent(3);
    try {
      refused(url("", servers), "0 of 3 nodes remember, 2 are needed; 3 are empty");
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void a_wrong_password_is_told_and_a_right_one_works() throws Exception {
    List<RedisServer> servers = RedisServer.startIndependent(3, "user ann on >CANARY ~* &* +@all");
    try {
      servers.forEach(server -> RedlockServers.setUp(server, 7, Duration.ofSeconds(60)));
      refused(url("ann:wrong@", servers), "WRONGPASS");
      try (Holdfast locks = Holdfast.connect(url("ann:CANARY@", servers));
          Lease lease = locks.lock("a").acquire()) {
        assertThat(lease.token()).isEqualTo(8);
      }
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  /** As docs/stores/redlock.md says it. */
  @Test
  void a_user_of_few_rights_can_do_everything() {
    String rights =
        "~holdfast:redlock:* -@all +ping +client|setname +evalsha +eval +time"
            + " +hmget +hset +hexists +exists +set +del +pexpire +pttl +scan";
    List<RedisServer> servers =
        RedisServer.startIndependent(3, "user locks on >CANARY resetchannels " + rights);
    Ticker ticker = Ticker.system("test");
    try {
      servers.forEach(server -> RedlockServers.setUp(server, 0, Duration.ofSeconds(60)));
      try (LockStore store =
          new RedlockProvider()
              .open(
                  url("locks:CANARY@", servers),
                  new StoreSettings(ticker, Duration.ofSeconds(10)))) {
        Claim claim = Ask.mutex("a");
        Claim second = Ask.mutex("b");
        long token = Ask.granted(store, claim.asking(2, 0)).token();
        assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
        assertThat(Ask.of(store.inspect("a")).isHeld()).isTrue();
        assertThat(Ask.of(store.list("", 10))).hasSize(1);
        Ask.granted(store, second);
        assertThat(Ask.of(store.evict("b"))).isTrue();
        var lingering = new Departure(claim, Duration.ofSeconds(1), true);
        assertThat(Ask.of(store.leave(List.of(lingering)))).containsEntry(claim, Left.LEFT);
        assertThat(Ask.of(store.diagnose()).findings()).isNotEmpty();
      }
    } finally {
      ticker.close();
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void a_record_without_a_longest_ttl_is_told() {
    List<RedisServer> servers = RedisServer.startIndependent(3);
    try {
      servers.forEach(
          server -> server.command("HSET", "holdfast:redlock:node", "format", "1", "c", "0"));
      refused(url("", servers), "'longest' of its nodes (0) must be at least 500");
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void the_doctor_looks_at_every_node() {
    Ticker ticker = Ticker.system("test");
    try (LockStore store =
        new RedlockProvider()
            .open(
                RedlockServers.shared().url(), new StoreSettings(ticker, Duration.ofSeconds(10)))) {
      var diagnosis = Ask.of(store.diagnose());

      assertThat(diagnosis.time()).isNotNull();
      for (RedisServer node : RedlockServers.shared().nodes()) {
        assertThat(diagnosis.findings())
            .extracting(Finding::message)
            .anyMatch(text -> text.startsWith("redis://127.0.0.1:" + node.port() + ": "));
      }
    } finally {
      ticker.close();
    }
    assertThat(Stores.modules()).containsEntry("redlock", "holdfast-redis");
  }

  private static void refused(String url, String why) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Holdfast.connect(url).close())
        .withMessageContaining("Cannot use redlock://")
        .withMessageContaining(why)
        .withMessageNotContaining("CANARY")
        .withMessageNotContaining("\n");
  }

  private static String url(String user, List<RedisServer> servers) {
    return "redlock://"
        + user
        + servers.stream().map(s -> "127.0.0.1:" + s.port()).collect(Collectors.joining(","));
  }
}
