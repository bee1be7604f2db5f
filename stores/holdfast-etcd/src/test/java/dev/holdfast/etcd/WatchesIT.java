package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.TcpProxy;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watches whose connection breaks, while etcd forgets what they would have heard. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class WatchesIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Ticker ticker = Ticker.system("watches-it");
  private EtcdServer server;
  private TcpProxy network;
  private ManagedChannel direct;

  @BeforeEach
  void start() {
    server = EtcdServer.start();
    network = TcpProxy.to("127.0.0.1", server.port());
    direct = channel(server.port());
  }

  @AfterEach
  void stop() {
    direct.shutdownNow();
    network.close();
    ticker.close();
    server.close();
  }

  @Test
  void what_happened_while_the_connection_was_broken_is_heard_afterwards() {
    Heard heard = new Heard();
    Watches watches = watches();
    ByteString key = ByteString.copyFromUtf8("key");
    watches.add(heard, new Scope(key, Keys.justAfter(key), false), put(key) + 1);
    Awaitility.await().until(() -> network.connections() > 0);

    network.cut();
    put(key);
    network.heal();

    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> heard.events.get() == 1);
    assertThat(heard.forgotten).hasValue(0);
    watches.close();
  }

  @Test
  void all_that_happens_at_once_is_heard() {
    Heard heard = new Heard();
    Watches watches = watches();
    ByteString first = ByteString.copyFromUtf8("key 1");
    ByteString after = ByteString.copyFromUtf8("key 9");
    TxnRequest.Builder deletions = TxnRequest.newBuilder();
    long revision = 0;
    for (int i = 1; i <= 3; i++) {
      ByteString key = ByteString.copyFromUtf8("key " + i);
      revision = put(key);
      deletions.addSuccess(Ops.delete(key));
    }
    watches.add(heard, new Scope(first, after, false), revision + 1);

    KVGrpc.newBlockingStub(direct).txn(deletions.build());

    Awaitility.await().until(() -> heard.events.get() == 3);
    watches.close();
  }

  /** The watch is at the server still, and its next event has come before whoever wants it. */
  @Test
  void who_takes_up_an_idle_watch_hears_what_it_wanted_to_hear() {
    ByteString key = ByteString.copyFromUtf8("key");
    Scope deletion = Scope.deletionOf(key);
    Watches watches = watches();
    Heard first = new Heard();
    Heard second = new Heard();
    long before = put(key);
    watches.add(first, deletion, before + 1);
    watches.add(second, deletion, before + 1);
    delete(key);
    Awaitility.await().until(() -> first.events.get() == 1 && second.events.get() == 1);
    watches.remove(second);
    Heard late = new Heard();
    Heard next = new Heard();

    watches.add(late, deletion, before + 1);
    watches.add(next, deletion, put(key) + 1);

    assertThat(late.events).hasValue(1);
    assertThat(next.events).hasValue(0);
    watches.remove(first);
    watches.remove(late);
    delete(key);
    Awaitility.await().until(() -> next.events.get() == 1);
    assertThat(late.events).hasValue(1);
    watches.close();
  }

  /** Heard by nobody, it is taken back; whoever wants to hear of it still can. */
  @Test
  void what_nobody_listened_to_is_heard_by_whoever_asks_for_it_afterwards() {
    ByteString key = ByteString.copyFromUtf8("key");
    Watches watches = watches();
    Heard idle = new Heard();
    Heard marker = new Heard();
    ByteString other = ByteString.copyFromUtf8("other");
    long before = put(key);
    watches.add(idle, Scope.deletionOf(key), before + 1);
    watches.add(marker, Scope.deletionOf(other), put(other) + 1);
    watches.remove(idle);
    delete(key);
    delete(other);
    Awaitility.await().until(() -> marker.events.get() == 1);
    Heard late = new Heard();

    watches.add(late, Scope.deletionOf(key), before + 1);

    Awaitility.await().until(() -> late.events.get() == 1);
    assertThat(idle.events).hasValue(0);
    watches.close();
  }

  @Test
  void what_was_compacted_meanwhile_is_told_to_be_forgotten_once() {
    Heard heard = new Heard();
    Watches watches = watches();
    ByteString key = ByteString.copyFromUtf8("key");
    watches.add(heard, new Scope(key, Keys.justAfter(key), false), put(key) + 1);
    Awaitility.await().until(() -> network.connections() > 0);

    network.cut();
    put(key);
    compact(put(key));
    network.heal();

    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> heard.forgotten.get() == 1);
    assertThat(heard.events).hasValue(0);
    watches.close();
  }

  @Test
  void a_waiter_whose_watch_was_compacted_is_woken_by_its_predecessor_all_the_same() {
    try (LockStore store =
            new EtcdProvider()
                .open("etcd://127.0.0.1:" + network.port(), new StoreSettings(ticker, TIMEOUT));
        LockStore other =
            new EtcdProvider().open(server.url(), new StoreSettings(ticker, TIMEOUT))) {
      Claim held = Ask.mutex("lock");
      Claim next = Ask.mutex("lock");
      Ask.granted(other, held);
      AtomicInteger hints = new AtomicInteger();
      store.observe("lock", hints::incrementAndGet);
      assertThat(Ask.queue(store, next)).isInstanceOf(Queued.class);

      network.cut();
      Awaitility.await().until(() -> hints.get() > 0);
      ByteString key = ByteString.copyFromUtf8("key");
      put(key);
      compact(put(key));
      network.heal();

      // Woken now and then until the watch is there anew; afterwards, by the release only.
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                int before = hints.get();
                return Ask.refresh(store, next) instanceof Queued && staysQuiet(hints, before);
              });
      int before = hints.get();
      Ask.leave(other, held);
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> hints.get() > before);
    }
  }

  /** Whether nobody is woken for longer than it takes to open a stream. */
  private static boolean staysQuiet(AtomicInteger hints, int before) {
    try {
      Awaitility.await().atMost(Duration.ofMillis(800)).until(() -> hints.get() > before);
      return false;
    } catch (org.awaitility.core.ConditionTimeoutException quiet) {
      return true;
    }
  }

  private Watches watches() {
    Members members = new Members(List.of(channel(network.port())), true);
    return new Watches(members, new Login(members, Credentials.none(), TIMEOUT), ticker);
  }

  private long put(ByteString key) {
    PutRequest put = PutRequest.newBuilder().setKey(key).build();
    return KVGrpc.newBlockingStub(direct).put(put).getHeader().getRevision();
  }

  private void delete(ByteString key) {
    KVGrpc.newBlockingStub(direct).deleteRange(DeleteRangeRequest.newBuilder().setKey(key).build());
  }

  private void compact(long revision) {
    CompactionRequest request =
        CompactionRequest.newBuilder().setRevision(revision).setPhysical(true).build();
    KVGrpc.newBlockingStub(direct).compact(request);
  }

  private static ManagedChannel channel(int port) {
    return Grpc.newChannelBuilder("127.0.0.1:" + port, InsecureChannelCredentials.create()).build();
  }

  /** Counts what a watch is told. */
  private static final class Heard implements Watch.Listener {
    private final AtomicInteger events = new AtomicInteger();
    private final AtomicInteger forgotten = new AtomicInteger();

    @Override
    public void happened(Event event) {
      events.incrementAndGet();
    }

    @Override
    public void interrupted() {}

    @Override
    public void forgotten() {
      forgotten.incrementAndGet();
    }

    @Override
    public void refused() {}
  }
}
