package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
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
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A member that carries a request out late, after the client has asked again or gone on. */
@NeedsServer(Server.ETCD)
class LateRequestsIT {

  /** As short as a waiter's: the lease is at hand for both. */
  private static final Duration WAITING = Duration.ofSeconds(10);

  private static final Keys KEYS = new Keys(EtcdOptions.defaults().prefix());

  private final HurriedTicker ticker = new HurriedTicker();
  private final LateMember member = new LateMember();
  private ManagedChannel channel;
  private LockStore store;
  private LockStore other;
  private EtcdFixture fixture;

  @BeforeEach
  void open() {
    channel =
        Grpc.newChannelBuilder(
                EtcdServer.shared().url().substring("etcd://".length()),
                InsecureChannelCredentials.create())
            .intercept(member)
            .build();
    store = open(Duration.ofSeconds(5));
    fixture = new EtcdFixture(EtcdServer.shared().url(), () -> {});
    other = fixture.open();
  }

  @AfterEach
  void close() {
    store.close();
    other.close();
    fixture.close();
    ticker.close();
    channel.shutdownNow();
  }

  @Test
  void a_join_that_was_sent_twice_does_not_enter_after_the_release() {
    Claim claim = Ask.mutex(Ask.name());
    member.abandonNext(request -> isPutOf(request, claim));
    Ask.granted(store, claim);
    Ask.leave(store, claim);

    member.goOn();

    assertThat(Ask.of(other.inspect(claim.lock()))).isEqualTo(LockInfo.free(claim.lock()));
  }

  @Test
  void a_release_that_was_sent_twice_is_not_taken_for_a_loss() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(store, claim);
    member.loseNextAnswer(request -> isDeletionOf(request, claim));

    assertThat(Ask.leave(store, claim)).isEqualTo(Left.UNKNOWN);

    assertThat(Ask.of(other.inspect(claim.lock()))).isEqualTo(LockInfo.free(claim.lock()));
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.GONE);
  }

  @Test
  void a_release_that_was_sent_twice_does_not_end_the_next_claim() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(store, claim);
    member.abandonNext(request -> isDeletionOf(request, claim));
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
    Claim next = Ask.mutex(claim.lock());
    Granted granted = Ask.granted(other, next);

    member.goOn();

    assertThat(Ask.refresh(other, next)).isEqualTo(granted);
  }

  @Test
  void an_eviction_does_not_end_a_claim_that_came_after_it_had_looked() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(other, claim);
    member.stallNext(request -> isDeletionOf(request, claim));
    CompletableFuture<Boolean> evicted =
        store.evict(claim.lock(), LockStore.ANY_TOKEN).toCompletableFuture();
    Awaitility.await().until(member::isStalled);
    Ask.leave(other, claim);
    Claim next = Ask.mutex(claim.lock());
    Granted granted = Ask.granted(other, next);

    member.goOn();

    assertThat(Ask.of(evicted)).isFalse();
    assertThat(Ask.refresh(other, next)).isEqualTo(granted);
  }

  /** The first took the free lock. The second finds it taken, and there is a lease for waiting. */
  @Test
  void a_join_that_was_sent_twice_enters_once() {
    Claim claim = Ask.mutex(Ask.name(), WAITING);
    Ask.granted(store, Ask.mutex(Ask.name(), WAITING));
    member.loseNextAnswer(request -> isPutOf(request, claim));

    Granted granted = (Granted) Ask.queue(store, claim);

    assertThat(Ask.of(other.inspect(claim.lock())).waiters()).isEmpty();
    assertThat(Ask.refresh(store, claim)).isEqualTo(granted);
  }

  /** The second one found its usual key in use, and took another. */
  @Test
  void a_join_that_comes_after_the_next_one_does_not_enter_on_another_key() {
    Claim holder = Ask.mutex(Ask.name(), WAITING);
    Claim before = Ask.mutex(holder.lock(), WAITING);
    Claim claim = Ask.mutex(holder.lock(), WAITING);
    Ask.granted(other, holder);
    Ask.queue(store, before);
    member.abandonNext(request -> isNestedPutOf(request, claim));
    assertThat(Ask.queue(store, claim)).isEqualTo(new Queued(2));
    Ask.leave(store, before);

    member.goOn();

    assertThat(Ask.of(other.inspect(claim.lock())).waiters()).hasSize(1);
  }

  @Test
  void a_join_that_was_sent_twice_and_refused_does_not_enter_later() {
    Claim holder = Ask.mutex(Ask.name());
    Claim claim = Ask.mutex(holder.lock());
    Ask.granted(other, holder);
    member.abandonNext(request -> isPutOf(request, claim));
    assertThat(Ask.join(store, claim)).isInstanceOf(Busy.class);
    Awaitility.await().until(() -> !stored(KEYS.tombstone(claim)).isEmpty());
    Ask.leave(other, holder);

    member.goOn();

    assertThat(Ask.of(other.inspect(claim.lock()))).isEqualTo(LockInfo.free(claim.lock()));
  }

  @Test
  void a_join_that_is_asked_for_again_enters_once() {
    Claim claim = Ask.mutex(Ask.name(), WAITING);
    JoinAnswer granted = Ask.queue(store, claim);

    assertThat(Ask.queue(store, claim)).isEqualTo(granted);

    assertThat(Ask.of(other.inspect(claim.lock())).waiters()).isEmpty();
  }

  @Test
  void a_release_that_lingers_and_was_sent_twice_is_a_release() {
    Claim claim = Ask.mutex(Ask.name());
    Ask.granted(store, claim);
    member.loseNextAnswer(request -> isPutOf(request, claim));
    Departure lingering = new Departure(claim, Duration.ofSeconds(60), false);

    assertThat(Ask.leave(store, lingering, Deadlines.far())).isEqualTo(Left.LEFT);

    assertThat(Ask.of(other.inspect(claim.lock())).isHeld()).isTrue();
  }

  @Test
  void a_join_is_not_sent_again_once_its_claim_has_left() {
    Claim claim = Ask.mutex(Ask.name(), Duration.ofSeconds(2));
    ByteString tombstone = KEYS.tombstone(claim);
    member.refuse(request -> isPutOf(request, claim));
    CompletableFuture<?> joining = store.join(claim, true, soon()).toCompletableFuture();
    Awaitility.await().until(() -> member.refusals() > 1);

    Ask.leave(other, Departure.withTombstone(claim), Deadlines.far());
    Ask.leave(store, Departure.withTombstone(claim), Deadlines.far());
    Awaitility.await().until(() -> joining.isDone() || stored(tombstone).isEmpty());
    member.refuse(request -> false);

    assertThatThrownBy(() -> Ask.of(joining)).isInstanceOf(StoreException.class);
    assertThat(Ask.of(other.inspect(claim.lock()))).isEqualTo(LockInfo.free(claim.lock()));
  }

  @Test
  void an_unanswered_release_does_not_forget_that_a_join_may_come_late() {
    Claim claim = Ask.mutex(Ask.name());
    member.abandonNext(request -> isPutOf(request, claim));
    Ask.granted(store, claim);
    member.refuse(request -> isDeletionOf(request, claim));
    assertThat(Ask.leave(store, Departure.of(claim), Deadlines.in(Duration.ofSeconds(1))))
        .isEqualTo(Left.UNKNOWN);
    member.refuse(request -> false);
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);

    member.goOn();

    assertThat(Ask.of(other.inspect(claim.lock()))).isEqualTo(LockInfo.free(claim.lock()));
  }

  @Test
  void a_channel_that_throws_holds_up_nobody() {
    Claim claim = Ask.mutex(Ask.name());
    member.throwNext(request -> isPutOf(request, claim));

    assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class);
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
  }

  @Test
  void a_renewal_that_was_sent_twice_does_not_take_back_a_later_one() {
    Claim holder = Ask.mutex(Ask.name());
    Ask.granted(other, holder);
    Claim claim = Ask.mutex(holder.lock());
    Ask.queue(store, claim);
    member.abandonNext(request -> isPutOf(request, claim));
    assertThat(Ask.refresh(store, claim.publishing("new"))).isInstanceOf(Queued.class);
    Ask.leave(other, holder);
    assertThat(Ask.refresh(store, claim.publishing("new"))).isInstanceOf(Granted.class);

    member.goOn();

    // A waiter's lease is of 10 s at most, a holder's of its ttl: 60 s.
    assertThat(Ask.of(other.inspect(claim.lock())).holders().get(0).remaining())
        .isGreaterThan(Duration.ofSeconds(15));
  }

  @Test
  void a_succession_that_was_sent_twice_does_not_take_back_what_came_later() {
    Claim holder = Ask.mutex(Ask.name());
    Ask.granted(other, holder);
    Claim claim = Ask.mutex(holder.lock());
    AtomicInteger hints = new AtomicInteger();
    store.observe(claim.lock(), hints::incrementAndGet);
    Ask.queue(store, claim);
    Ask.leave(other, holder);
    Awaitility.await().until(() -> hints.get() > 0);
    member.abandonNext(request -> isPutOf(request, claim));
    assertThat(Ask.refresh(store, claim.publishing("old"))).isInstanceOf(Granted.class);
    assertThat(Ask.refresh(store, claim.publishing("new"))).isInstanceOf(Granted.class);

    member.goOn();

    assertThat(Ask.of(other.inspect(claim.lock())).holders().get(0).value()).isEqualTo("new");
  }

  @Test
  void a_renewal_of_an_old_lease_says_nothing_about_the_next_one() {
    Duration ttl = Duration.ofSeconds(70); // a lease that no other test here uses
    Claim first = Ask.mutex(Ask.name(), ttl);
    Granted granted = Ask.granted(store, first);
    long old = leaseOf(first);
    member.stallNext(LeaseKeepAliveRequest.class::isInstance);
    passSpareTime();
    CompletableFuture<Standing> stalled = Ask.refreshing(store, first, Deadlines.far());
    Awaitility.await().until(member::isStalled);
    ticker.jump(ttl); // with the spare time, that is how long the old lease lasts
    Claim second = Ask.mutex(Ask.name(), ttl);
    Ask.granted(store, second);
    long next = leaseOf(second);
    assertThat(next).isNotEqualTo(old);

    member.goOn();

    assertThat(Ask.of(stalled)).isEqualTo(granted);
    assertThat(leaseOf(first)).isEqualTo(next);
    assertThat(Ask.refresh(store, second)).isInstanceOf(Granted.class);
    assertThat(leaseOf(second)).isEqualTo(next);
  }

  @Test
  void a_renewal_that_comes_after_the_lease_may_have_ended_proves_nothing() {
    Duration ttl = Duration.ofSeconds(4);
    Duration longer = Duration.ofSeconds(40); // than the test takes
    store.close();
    store = open(longer);
    Claim claim = Ask.mutex(Ask.name(), ttl);
    long token = Ask.granted(store, claim).token();
    long old = leaseOf(claim);
    passSpareTime();
    long granted = ticker.nanoTime();
    member.stallNext(LeaseKeepAliveRequest.class::isInstance);
    CompletableFuture<Standing> standing = Ask.refreshing(store, claim, Deadlines.in(longer));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              keepAlive(old); // on another way, so that the member reports it alive
              return member.isStalled() && ticker.nanoTime() - granted > ttl.toNanos();
            });

    member.goOn();

    assertThat(Ask.of(standing)).isEqualTo(new Granted(token));
    assertThat(leaseOf(claim)).isNotEqualTo(old);
  }

  /** A store that waits for an answer for this time. */
  private LockStore open(Duration timeout) {
    return new EtcdLockStore(
        "etcd:",
        new Channels(List.of(channel), false),
        EtcdOptions.defaults(),
        new StoreSettings(ticker, timeout),
        () -> {});
  }

  @Test
  void a_renewal_by_a_leader_that_was_replaced_is_asked_for_again() {
    Claim claim = Ask.mutex(Ask.name());
    long token = Ask.granted(store, claim).token();
    member.leadInThePast(2);
    passSpareTime();

    assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));

    assertThat(member.leadsInThePast()).isFalse();
  }

  @Test
  void a_join_is_not_granted_by_a_leader_that_was_replaced() {
    Ask.granted(store, Ask.mutex(Ask.name()));
    member.leadInThePast(1000);
    passSpareTime();

    assertThatThrownBy(() -> Ask.join(store, Ask.mutex(Ask.name()), soon()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("a leader that was replaced");
  }

  private static Deadline soon() {
    return Deadlines.in(Duration.ofSeconds(5));
  }

  /** From now on, an operation that needs the lease renewed sends a keep-alive. */
  private void passSpareTime() {
    ticker.jump(EtcdLeases.SPARE.plusNanos(1));
  }

  private void keepAlive(long lease) {
    Calls.FirstAnswer<LeaseKeepAliveResponse> answer = new Calls.FirstAnswer<>();
    StreamObserver<LeaseKeepAliveRequest> requests =
        LeaseGrpc.newStub(channel).leaseKeepAlive(answer);
    requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
    answer.join();
    requests.onCompleted();
  }

  @Test
  void a_claim_that_the_audit_is_deleting_is_not_renewed() {
    Claim forgotten = forgottenUntilItsDeletion(Duration.ofSeconds(2));

    Standing standing = Ask.refresh(store, forgotten);
    member.goOn();

    assertThat(standing).isEqualTo(Gone.GONE);
  }

  @Test
  void a_claim_that_the_audit_deletes_during_its_renewal_is_gone() {
    Claim forgotten = forgottenUntilItsDeletion(Duration.ofSeconds(2));
    member.stallNext(LeaseKeepAliveRequest.class::isInstance);
    passSpareTime();
    CompletableFuture<Standing> standing = Ask.refreshing(store, forgotten, Deadlines.far());
    Awaitility.await().until(member::isStalled); // so the key has been read

    member.goOn(); // deletes it
    member.goOn(); // renews the lease

    assertThat(Ask.of(standing)).isEqualTo(Gone.GONE);
  }

  @Test
  void the_audit_spares_a_claim_that_another_client_has_taken_over() {
    // On leases that are long enough not to end meanwhile
    Claim forgotten = forgottenUntilItsDeletion(Duration.ofSeconds(5));
    Claim taken = Ask.lasting(forgotten, Duration.ofSeconds(60));
    Standing standing = Ask.refresh(other, taken);
    assertThat(standing).isInstanceOf(Granted.class);

    member.goOn();

    assertThat(Ask.refresh(other, taken)).isEqualTo(standing);
  }

  /** A claim that was not renewed: the audit has found it, and its deletion is stalled. */
  private Claim forgottenUntilItsDeletion(Duration ttl) {
    Claim forgotten = Ask.mutex(Ask.name(), ttl);
    Claim kept = Ask.mutex(Ask.name(), ttl);
    Ask.join(store, forgotten, soon());
    Ask.granted(store, kept);
    member.stallNext(LateRequestsIT::isDeletion);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              Ask.refresh(store, kept);
              return member.isStalled();
            });
    return forgotten;
  }

  private static boolean isPutOf(Object request, Claim claim) {
    return request instanceof TxnRequest txn
        && txn.getSuccessList().stream()
            .anyMatch(op -> op.getRequestPut().getValue().toStringUtf8().contains(claim.id()));
  }

  private static boolean isNestedPutOf(Object request, Claim claim) {
    return request instanceof TxnRequest txn
        && txn.getFailureList().stream().anyMatch(op -> isPutOf(op.getRequestTxn(), claim));
  }

  private static boolean isDeletionOf(Object request, Claim claim) {
    return isDeletion(request) && request.toString().contains(claim.lock());
  }

  private static boolean isDeletion(Object request) {
    return request instanceof TxnRequest txn
        && txn.getCompareCount() == 0
        && txn.getSuccessList().stream()
            .flatMap(op -> op.getRequestTxn().getSuccessList().stream())
            .anyMatch(op -> op.hasRequestDeleteRange());
  }

  private long leaseOf(Claim claim) {
    return stored(Keys.bytes(KEYS.claim(claim.lock(), 0))).get(0).getLease();
  }

  private List<KeyValue> stored(ByteString key) {
    RangeRequest range = RangeRequest.newBuilder().setKey(key).build();
    return KVGrpc.newBlockingStub(channel).range(range).getKvsList();
  }
}
