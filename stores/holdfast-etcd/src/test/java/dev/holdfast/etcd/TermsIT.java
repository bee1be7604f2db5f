package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
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
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A lease serves for the term in which it was granted: a leader of an earlier one may still end it,
 * any renewal. A server that is restarted leads in a new term.
 */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class TermsIT {

  private static final Keys KEYS = new Keys(EtcdOptions.defaults().prefix());

  private final HurriedTicker ticker = new HurriedTicker();
  private final LateMember member = new LateMember();
  private EtcdServer server;
  private ManagedChannel channel;
  private LockStore store;

  @BeforeEach
  void start() {
    server = EtcdServer.start();
    channel =
        Grpc.newChannelBuilder("127.0.0.1:" + server.port(), InsecureChannelCredentials.create())
            .intercept(member)
            .build();
    store =
        new EtcdLockStore(
                "etcd:",
                new Channels(List.of(channel), false),
                EtcdOptions.defaults(),
                new StoreSettings(ticker, Duration.ofSeconds(20)),
                () -> {})
            .checked();
  }

  @AfterEach
  void stop() {
    store.close();
    ticker.close();
    channel.shutdownNow();
    server.close();
  }

  @Test
  void a_holder_and_a_waiter_move_to_leases_of_the_new_term_and_keep_their_places() {
    Claim holder = Ask.mutex(Ask.name());
    Claim waiter = Ask.mutex(holder.lock());
    Granted granted = Ask.granted(store, holder);
    Ask.queue(store, waiter);
    Map<Claim, Long> before = Map.of(holder, leaseOf(holder), waiter, leaseOf(waiter));

    server.restart();

    assertThat(Ask.refresh(store, holder)).isEqualTo(granted);
    assertThat(Ask.refresh(store, waiter)).isEqualTo(new Queued(1));
    assertThat(leaseOf(holder)).isNotEqualTo(before.get(holder));
    assertThat(leaseOf(waiter)).isNotEqualTo(before.get(waiter));
    // This is what the leader before would do.
    before.values().forEach(this::revoke);
    assertThat(Ask.refresh(store, holder)).isEqualTo(granted);
    assertThat(Ask.refresh(store, waiter)).isEqualTo(new Queued(1));
  }

  @Test
  void a_claim_whose_old_lease_was_ended_before_it_moved_is_gone() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(store, claim);
    long old = leaseOf(claim);
    server.restart();
    revoke(old);

    assertThat(Ask.refresh(store, claim)).isEqualTo(Gone.GONE);
  }

  /** The lease was renewed less than a second ago, as far as the client can tell. */
  @Test
  void a_join_is_not_granted_on_a_lease_of_an_earlier_term() {
    Claim before = Ask.mutex(Ask.name());
    Ask.granted(store, before);
    long old = leaseOf(before);
    ticker.stop();
    server.restart();
    Claim claim = Ask.mutex(Ask.name());

    Granted granted = Ask.granted(store, claim);

    assertThat(leaseOf(claim)).isNotEqualTo(old);
    assertThat(Ask.refresh(store, claim)).isEqualTo(granted);
  }

  /** A member fills in the term of its answer before it asks the leader. */
  @Test
  void a_keep_alive_that_tells_the_term_before_confirms_nothing() {
    Claim claim = Ask.mutex(Ask.name());
    Granted granted = Ask.granted(store, claim);
    long old = leaseOf(claim);
    server.restart();
    member.leadInThePast(1);
    ticker.jump(EtcdLeases.SPARE.plusNanos(1));

    assertThat(Ask.refresh(store, claim)).isEqualTo(granted);

    assertThat(member.leadsInThePast()).isFalse();
    assertThat(leaseOf(claim)).isNotEqualTo(old);
  }

  @Test
  void a_keep_alive_is_answered_before_the_keys_are_read() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(store, claim);
    member.stallNext(LeaseKeepAliveRequest.class::isInstance);
    ticker.jump(EtcdLeases.SPARE.plusNanos(1));
    CompletableFuture<Standing> standing = Ask.refreshing(store, claim, Deadlines.far());
    Awaitility.await().until(member::isStalled);
    delete(claim);

    member.goOn();

    assertThat(Ask.of(standing)).isEqualTo(Gone.GONE);
  }

  @Test
  void renewals_that_move_a_claim_at_the_same_time_agree() {
    Claim claim = Ask.mutex(Ask.name());
    Granted granted = Ask.granted(store, claim);
    server.restart();

    List<CompletableFuture<Standing>> standings = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      standings.add(Ask.refreshing(store, claim, Deadlines.far()));
    }

    assertThat(standings).allSatisfy(one -> assertThat(Ask.of(one)).isEqualTo(granted));
  }

  @Test
  void all_claims_of_one_ttl_move_to_one_lease() {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      Claim claim = Ask.mutex(Ask.name());
      claims.add(claim);
      Ask.granted(store, claim);
    }
    long old = leaseOf(claims.get(0));
    server.restart();

    Map<Claim, Standing> standings = Ask.of(store.refresh(claims, Deadlines.far()));

    assertThat(standings.values()).hasSize(250).allMatch(Granted.class::isInstance);
    Set<Long> leases = claims.stream().map(this::leaseOf).collect(Collectors.toSet());
    assertThat(leases).hasSize(1).doesNotContain(old);
  }

  @Test
  void a_tombstone_keeps_a_late_join_out_in_the_next_term_too() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.leave(store, Departure.withTombstone(claim), Deadlines.far());

    server.restart();

    assertThat(Ask.queue(store, claim)).isInstanceOf(Busy.class);
  }

  private void revoke(long lease) {
    LeaseRevokeRequest revoke = LeaseRevokeRequest.newBuilder().setID(lease).build();
    LeaseGrpc.newBlockingStub(channel).leaseRevoke(revoke);
  }

  private void delete(Claim claim) {
    try (EtcdFixture fixture = new EtcdFixture(server.url(), () -> {});
        LockStore operator = fixture.open()) {
      assertThat(Ask.of(operator.evict(claim.lock(), LockStore.ANY_TOKEN))).isTrue();
    }
  }

  private long leaseOf(Claim claim) {
    RangeRequest range =
        RangeRequest.newBuilder()
            .setKey(KEYS.queue(claim.lock()).first())
            .setRangeEnd(KEYS.queue(claim.lock()).after())
            .build();
    ByteString id = ByteString.copyFromUtf8(claim.id());
    return KVGrpc.newBlockingStub(channel).range(range).getKvsList().stream()
        .filter(stored -> stored.getValue().endsWith(id))
        .findFirst()
        .map(KeyValue::getLease)
        .orElseThrow();
  }
}
