package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisCluster;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.FailedConnectContract;
import dev.holdfast.testkit.store.Ask;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is wrong with an address is reported in one line; and what the doctor finds. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class OpeningIT {

  private static RedisServer server;
  private static RedisServer cluster;
  private static Ticker ticker;

  @BeforeAll
  static void start() {
    ticker = Ticker.system("test");
    server =
        RedisServer.start(
            "requirepass CANARY", "user ann on >CANARY2 ~* &* +@all", "appendonly yes");
    cluster = RedisServer.start("cluster-enabled yes");
  }

  @AfterAll
  static void stop() {
    ticker.close();
    server.close();
    cluster.close();
  }

  @Test
  void a_user_and_a_password_may_come_with_the_url_or_beside_it() throws Exception {
    take(Holdfast.connect(url("redis://:CANARY@", server, "")));
    take(Holdfast.connect(url("redis://ann:CANARY2@", server, "/1?prefix=")));
    take(
        Holdfast.builder()
            .store(url("redis://", server, "/15"))
            .credentials("ann", "CANARY2")
            .build());
    take(
        Holdfast.builder()
            .store(url("redis://ann:wrong@", server, ""))
            .credentials(null, "CANARY2")
            .build());
  }

  @Test
  void a_client_of_the_callers_stays_open() throws Exception {
    RedisClient client = RedisClient.create();
    try {
      RedisURI uri = RedisURI.create(url("redis://ann:CANARY2@", server, ""));
      RedisLockStore store = RedisLockStore.over(client, uri, RedisOptions.defaults());
      assertThat(store.toString()).contains(":" + server.port()).doesNotContain("CANARY");
      take(Holdfast.builder().store(store).build());
      assertThat(client.connect(uri).sync().ping()).isEqualTo("PONG");
    } finally {
      client.shutdown();
    }
  }

  @Test
  void a_user_of_few_rights_can_use_a_cluster() throws Exception {
    String user = DocumentedUser.setting("+cluster|nodes", "+cluster|myid");
    try (RedisCluster servers = RedisCluster.start(user)) {
      take(Holdfast.connect(DocumentedUser.url(servers.url())));
    }
  }

  @Test
  void a_wrong_password_is_reported() {
    refused(url("redis://ann:CANARY@", server, ""), "WRONGPASS");
    refused(url("redis://", server, ""), "NOAUTH");
  }

  @Test
  void a_wrong_password_leaves_no_thread() {
    FailedConnectContract.nobodyIsLeft(url("redis://ann:CANARY@", server, ""));
  }

  @Test
  void a_missing_database_is_reported() {
    refused(url("redis://:CANARY@", server, "/999"), "DB index is out of range");
  }

  @Test
  void a_server_without_tls_is_reported() {
    refused(url("rediss://:CANARY@", server, ""), "does the server speak TLS on this port?");
  }

  @Test
  void a_port_that_nothing_listens_on_is_reported() {
    refused("redis://127.0.0.1:1", "Connection refused");
    refused("redis-cluster://127.0.0.1:1", "Connection refused");
    refused("redis-sentinel://127.0.0.1:1/main", "Connection refused");
  }

  @Test
  void a_cluster_and_a_single_server_are_not_mistaken_for_each_other() {
    refused(url("redis://", cluster, ""), "write redis-cluster://");
    refused(url("redis-cluster://:CANARY@", server, ""), "cluster support disabled");
  }

  @Test
  void a_replica_is_reported() {
    try (RedisServer replica = RedisServer.start("replicaof 127.0.0.1 1")) {
      refused(url("redis://", replica, ""), "it is a replica");
    }
  }

  @Test
  void a_missing_certificate_is_reported() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open("rediss://h?ca=/no/such/file.pem"))
        .withMessageContaining("/no/such/file.pem");
  }

  @Test
  void the_doctor_is_content_with_a_good_server() {
    try (LockStore store = open(url("redis://:CANARY@", server, ""))) {
      var diagnosis = Ask.of(store.diagnose());

      assertThat(diagnosis.time()).isNotNull();
      assertThat(diagnosis.findings()).extracting(Finding::severity).containsOnly(Severity.OK);
      assertThat(diagnosis.findings().toString()).contains("noeviction", "Redis", "(loopback)");
    }
  }

  @Test
  void the_doctor_reports_what_endangers_locks() {
    try (RedisServer bad = RedisServer.start("maxmemory-policy allkeys-lru");
        RedisServer replica = RedisServer.start("replicaof 127.0.0.1 " + bad.port());
        LockStore store = open(bad.url())) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(Ask.of(store.diagnose()).findings())
                      .extracting(Finding::severity)
                      .containsExactly(
                          Severity.DANGER,
                          Severity.WARNING,
                          Severity.WARNING,
                          Severity.OK,
                          Severity.OK));
      assertThat(replica.port()).isPositive();
    }
  }

  private static void refused(String url, String why) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(url))
        .withMessageContaining("Cannot use")
        .withMessageContaining(why)
        .withMessageNotContaining("CANARY")
        .withMessageNotContaining("\n");
  }

  private static LockStore open(String url) {
    return new RedisProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(5)));
  }

  private static void take(Holdfast locks) throws InterruptedException {
    try (locks;
        Lease lease = locks.lock(Ask.name()).acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }

  private static String url(String start, RedisServer server, String end) {
    return start + "127.0.0.1:" + server.port() + end;
  }
}
