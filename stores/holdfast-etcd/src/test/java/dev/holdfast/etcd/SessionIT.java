package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lease that lives does not prove that a claim does. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class SessionIT {

  private EtcdServer server;
  private EtcdFixture fixture;

  @BeforeEach
  void start() {
    server = EtcdServer.start();
    fixture = new EtcdFixture(server.url(), () -> {});
  }

  @AfterEach
  void stop() {
    fixture.close();
    server.close();
  }

  @Test
  void a_key_that_is_deleted_by_hand_is_a_loss_while_its_lease_lives_on() throws Exception {
    try (LockStore store = fixture.open()) {
      Claim lost = Ask.mutex("lost");
      Claim kept = Ask.mutex("kept");
      Ask.granted(store, lost);
      Ask.granted(store, kept);

      delete("holdfast/lost");

      assertThat(Ask.refresh(store, lost)).isEqualTo(Gone.GONE);
      assertThat(Ask.refresh(store, kept)).isInstanceOf(Granted.class);
    }
  }

  @Test
  void a_claim_that_joins_again_after_an_eviction_waits_although_it_was_granted_before() {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      Claim claim = Ask.mutex("lock");
      Ask.granted(store, claim);
      Ask.of(other.evict("lock", LockStore.ANY_TOKEN));
      Ask.granted(other, Ask.mutex("lock"));

      assertThat(Ask.queue(store, claim)).isInstanceOf(Queued.class);
      assertThat(Ask.refresh(store, claim)).isInstanceOf(Queued.class);
    }
  }

  @Test
  void keys_of_others_under_the_prefix_are_skipped() throws Exception {
    try (LockStore store = fixture.open()) {
      put("holdfast/readme", "hi");
      Ask.granted(store, Ask.mutex("lock"));

      assertThat(Ask.of(store.list("", 10))).extracting(LockInfo::name).containsExactly("lock");
    }
  }

  @Test
  void a_record_that_cannot_be_read_hides_its_own_lock_only() throws Exception {
    try (LockStore store = fixture.open();
        LockStore other = fixture.open()) {
      Claim kept = Ask.mutex("kept");
      Claim waiting = Ask.mutex("strange");
      long token = Ask.granted(store, kept).token();
      Ask.granted(other, Ask.mutex("strange"));
      Ask.queue(store, waiting);

      put("holdfast/strange\0/x", "2 of a newer version");

      Map<Claim, Standing> standings =
          Ask.of(store.refresh(List.of(waiting, kept), Deadlines.far()));
      assertThat(standings).containsEntry(kept, new Granted(token));
      assertThat(standings.get(waiting)).isInstanceOf(Unknown.class);
      assertThat(Ask.of(store.list("", 10))).extracting(LockInfo::name).containsExactly("kept");
    }
  }

  @Test
  void a_holder_is_woken_at_once_when_its_key_is_deleted() throws Exception {
    Duration ttl = Duration.ofSeconds(60);
    try (Holdfast locks = Holdfast.connect(server.url())) {
      Lease lease = locks.lock("lock", LockOptions.defaults().ttl(ttl)).acquire();
      AtomicReference<Duration> remaining = new AtomicReference<>();
      Lease kept = locks.lock("kept", LockOptions.defaults().ttl(ttl)).acquire();
      long acquired = System.nanoTime();
      lease.onLost(() -> remaining.set(ttl.minus(Duration.ofNanos(System.nanoTime() - acquired))));

      delete("holdfast/lock");

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> lease.state() == LeaseState.LOST && remaining.get() != null);
      assertThat(remaining.get()).isGreaterThan(ttl.multipliedBy(3).dividedBy(4));
      assertThat(kept.state()).isEqualTo(LeaseState.HELD);
    }
  }

  @Test
  void a_holder_is_woken_at_once_when_its_lease_is_revoked() throws Exception {
    Duration ttl = Duration.ofSeconds(60);
    try (Holdfast locks = Holdfast.connect(server.url())) {
      Lease lease = locks.lock("lock", LockOptions.defaults().ttl(ttl)).acquire();
      String leases = server.post("/v3/lease/leases", "{}");

      server.post(
          "/v3/lease/revoke", "{\"ID\":" + leases.replaceFirst(".*\"ID\":(\"\\d+\").*", "$1}"));

      // Long before its first renewal
      Awaitility.await().atMost(ttl.dividedBy(4)).until(() -> lease.state() == LeaseState.LOST);
    }
  }

  @Test
  void many_tombstones_share_a_lease() throws Exception {
    try (LockStore store = fixture.open()) {
      for (int i = 0; i < 5; i++) {
        Claim claim = Ask.mutex("lock", Duration.ofSeconds(20 + i));
        Ask.leave(store, Departure.withTombstone(claim), Deadlines.far());
        assertThat(Ask.queue(store, claim)).isInstanceOf(Busy.class);
      }

      // Each join has looked at the lease of its ttl; the tombstones have one more.
      assertThat(server.post("/v3/lease/leases", "{}").split("\"ID\"", -1)).hasSize(1 + 5 + 1);
    }
  }

  @Test
  void a_claim_that_is_not_renewed_ends_although_its_neighbours_keep_the_lease_alive() {
    Duration ttl = Duration.ofSeconds(2);
    try (Ticker ticker = Ticker.system("session-it");
        LockStore store =
            new EtcdProvider()
                .open(server.url(), new StoreSettings(ticker, Duration.ofSeconds(2)))) {
      Claim forgotten = Ask.mutex("forgotten", ttl);
      Claim kept = Ask.mutex("kept", ttl);
      Ask.join(store, forgotten, Deadlines.in(ttl));
      long token = Ask.granted(store, kept).token();

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                assertThat(Ask.refresh(store, kept)).isEqualTo(new Granted(token));
                return !Ask.of(store.inspect("forgotten")).isHeld();
              });
    }
  }

  @Test
  void a_join_whose_answer_is_lost_leaves_no_claim_after_its_withdrawal() {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port());
        Ticker ticker = Ticker.system("session-it");
        LockStore store =
            new EtcdProvider()
                .open(
                    "etcd://127.0.0.1:" + proxy.port(),
                    new StoreSettings(ticker, Duration.ofSeconds(2)));
        LockStore other = fixture.open()) {
      Ask.granted(store, Ask.mutex("warm up"));
      Claim claim = Ask.mutex("lock");
      proxy.hangAnswers();
      assertThatThrownBy(() -> Ask.queue(store, claim, Deadlines.in(Duration.ofSeconds(2))))
          .isInstanceOf(StoreException.class);
      assertThat(Ask.of(other.inspect("lock")).isHeld()).isTrue();

      // The tombstone overtakes the join on another connection: no join may enter after it.
      Ask.leave(other, Departure.withTombstone(claim), Deadlines.far());
      proxy.heal();
      assertThat(Ask.queue(store, claim)).isInstanceOf(Busy.class);

      assertThat(Ask.of(other.inspect("lock"))).isEqualTo(LockInfo.free("lock"));
    }
  }

  private void put(String key, String value) throws Exception {
    server.post(
        "/v3/kv/put", "{\"key\":\"" + base64(key) + "\",\"value\":\"" + base64(value) + "\"}");
  }

  private void delete(String start) throws Exception {
    server.post(
        "/v3/kv/deleterange",
        "{\"key\":\"" + base64(start) + "\",\"range_end\":\"" + base64(start + "\1") + "\"}");
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
