package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.Stores;
import dev.holdfast.redis.DocumentedUser;
import dev.holdfast.redis.TestCertificate;
import dev.holdfast.redis.client.RedisAddress;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a quorum is reported in one line; and what the doctor finds. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedlockOpeningIT {

  private static final String RECORD = "holdfast:redlock:node";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redlock://h1                       | an odd number of servers, at least 3, not 1",
        "redlock://h1,h2                    | an odd number of servers, at least 3, not 2",
        "redlock://h1,h2,h3,h4              | an odd number of servers, at least 3, not 4",
        "redlock://h1,h2,h1                 | the host h1:6379 is given twice",
        "redlock://h1,h2,h1:6379            | the host h1:6379 is given twice",
        "redlock://h1,h2,                   | host 3 is missing",
        "redlock://h1,h2,h3?wait-for-replicas=1 | is not supported by redlock://",
      })
  void a_url_that_makes_no_quorum_is_refused(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisAddress.parse(url, Credentials.none()))
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
  }

  @Test
  void each_node_has_the_credentials_and_the_tls_of_the_url() {
    List<RedisAddress> each =
        RedisAddress.parse(
                "redlock://ann:CANARY@h1,h2:7000,[::1]/2?tls=true&prefix=app:", Credentials.none())
            .each();

    assertThat(each).hasSize(3).allMatch(RedisAddress::isTls);
    assertThat(each).extracting(one -> one.login().user()).containsOnly("ann");
    assertThat(each).extracting(one -> one.login().password()).containsOnly("CANARY");
    assertThat(each).extracting(RedisAddress::database).containsOnly(2);
    assertThat(each)
        .extracting(RedisAddress::text)
        .containsExactly("rediss://h1:6379", "rediss://h2:7000", "rediss://[::1]:6379");
  }

  @Test
  void nodes_that_were_not_set_up_are_refused() {
    List<RedisServer> servers = RedisServer.startIndependent(3);
    try {
      refused(url("", servers), "0 of 3 nodes remember, 2 are needed; 3 are empty");
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void a_wrong_password_is_reported_and_the_right_one_works() throws Exception {
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
    List<RedisServer> servers = RedisServer.startIndependent(3, DocumentedUser.of("redlock.md"));
    Ticker ticker = Ticker.system("test");
    try {
      servers.forEach(server -> RedlockServers.setUp(server, 0, Duration.ofSeconds(60)));
      try (LockStore store =
          new RedlockProvider()
              .open(
                  DocumentedUser.url(url("", servers)),
                  new StoreSettings(ticker, Duration.ofSeconds(10)))) {
        Claim claim = Ask.mutex("a");
        Claim second = Ask.mutex("b");
        long token = Ask.granted(store, claim.asking(2, 0)).token();
        assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
        assertThat(Ask.of(store.inspect("a")).isHeld()).isTrue();
        assertThat(Ask.of(store.list("", 10))).hasSize(1);
        Ask.granted(store, second);
        assertThat(Ask.of(store.evict("b", LockStore.ANY_TOKEN))).isTrue();
        var lingering = new Departure(claim, Duration.ofSeconds(1), true);
        assertThat(Ask.of(store.leave(List.of(lingering), Deadlines.far())))
            .containsEntry(claim, Left.LEFT);
        assertThat(Ask.of(store.diagnose()).findings()).isNotEmpty();
      }
    } finally {
      ticker.close();
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void a_record_without_a_longest_ttl_is_refused() {
    List<RedisServer> servers = RedisServer.startIndependent(3);
    try {
      servers.forEach(
          server -> {
            RedlockServers.setUp(server, 0, Duration.ofSeconds(60));
            server.command("HDEL", "holdfast:redlock:node", "longest");
          });
      refused(url("", servers), "'longest' of its nodes (0) must be at least 500");
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void a_record_that_this_version_cannot_read_is_refused() {
    try (RedlockServers servers = RedlockServers.start(3, Duration.ofSeconds(60))) {
      servers.nodes().forEach(node -> node.command("HSET", RECORD, "format", "2"));
      refused(servers.url(), "format 2, which needs a newer version of Holdfast");
      servers.nodes().forEach(node -> node.command("HSET", RECORD, "format", "1", "c", "many"));
      refused(servers.url(), "its counter is not a number");
    }
  }

  @Test
  void two_names_of_one_server_are_refused() {
    try (RedlockServers servers = RedlockServers.start(2, Duration.ofSeconds(60))) {
      refused(
          url("", servers.nodes()) + ",localhost:" + servers.node(0).port(),
          "some of its addresses lead to the same server");
    }
  }

  /** Two votes of one server are no majority, however slow the second name is. */
  @Test
  void two_names_of_one_server_are_refused_although_the_others_suffice_before() {
    try (RedlockServers servers = RedlockServers.start(2, Duration.ofSeconds(60));
        TcpProxy network = TcpProxy.to("127.0.0.1", servers.node(0).port())) {
      network.delay(Duration.ofMillis(40));
      refused(
          url("", servers.nodes()) + ",localhost:" + network.port(),
          "some of its addresses lead to the same server");
    }
  }

  @Test
  void nodes_may_ask_for_tls_and_certificates(@TempDir Path directory) throws Exception {
    TestCertificate ofServer = TestCertificate.make(directory, "server");
    TestCertificate ofClient = TestCertificate.make(directory, "client");
    List<RedisServer> servers =
        RedisServer.startIndependent(
            3,
            "tls-cert-file " + ofServer.cert(),
            "tls-key-file " + ofServer.key(),
            "tls-ca-cert-file " + ofClient.cert(),
            "tls-auth-clients yes");
    try {
      servers.forEach(server -> RedlockServers.setUp(server, 0, Duration.ofSeconds(60)));
      String nodes =
          servers.stream()
              .map(server -> "127.0.0.1:" + TestCertificate.listen(server))
              .collect(Collectors.joining(","));
      String url = "redlock://" + nodes + "?tls=true&ca=" + ofServer.cert();
      String client = "&cert=" + ofClient.cert() + "&key=" + ofClient.key();
      try (Holdfast locks = Holdfast.connect(url + client);
          Lease lease = locks.lock("a").acquire()) {
        assertThat(lease.token()).isEqualTo(1);
      }
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  /** The sample of docs/stores/redlock.md. */
  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    String url = RedlockServers.shared().url();
    // sample: connect
    Holdfast locks = Holdfast.connect(url); // redlock://r1,r2,r3,r4,r5
    // end
    try (locks;
        Lease lease = locks.lock(Ask.name()).acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Test
  void the_doctor_reports_nodes_without_a_vote_or_wrongly_vouched_for() {
    try (RedlockServers servers = RedlockServers.start(5, Duration.ofSeconds(60))) {
      Ticker ticker = Ticker.system("test");
      try (LockStore store =
          new RedlockProvider()
              .open(servers.url(), new StoreSettings(ticker, Duration.ofSeconds(10)))) {
        servers.node(0).command("DEL", RECORD);
        servers.node(1).command("HSET", RECORD, "inc", "kept");
        servers.node(2).kill();

        List<Finding> findings = Ask.of(store.diagnose()).findings();

        assertThat(findings)
            .anyMatch(finding -> tells(finding, Severity.WARNING, servers.node(0), "has no vote"))
            .anyMatch(finding -> tells(finding, Severity.DANGER, servers.node(1), "'kept'"))
            .anyMatch(finding -> tells(finding, Severity.WARNING, servers.node(2), "no answer"))
            .anyMatch(finding -> tells(finding, Severity.OK, servers.node(3), "has a vote"));
      } finally {
        ticker.close();
      }
    }
  }

  private static boolean tells(Finding finding, Severity severity, RedisServer node, String what) {
    return finding.severity() == severity
        && finding.message().startsWith("redis://127.0.0.1:" + node.port() + ": ")
        && finding.message().contains(what);
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
