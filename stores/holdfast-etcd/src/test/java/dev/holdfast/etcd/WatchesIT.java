package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.KeyWatches.Listener;
import dev.holdfast.leased.KeyWatches.Target;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
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

/** Watches whose connection breaks while etcd compacts the events that they would receive. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class WatchesIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Keys KEYS = new Keys("test/");
  private static final Target QUEUE = new Target("lock", null);

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
  void events_during_a_broken_connection_are_delivered_afterwards() {
    Events heard = new Events();
    EtcdWatches watches = watches();
    ByteString key = key(1);
    watches.add(heard, QUEUE, put(key) + 1);
    Awaitility.await().until(() -> network.connections() > 0);

    network.cut();
    put(key);
    network.heal();

    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> heard.events.get() == 1);
    assertThat(heard.missed).hasValue(0);
    watches.close();
  }

  @Test
  void all_events_of_one_transaction_are_delivered() {
    Events heard = new Events();
    EtcdWatches watches = watches();
    TxnRequest.Builder deletions = TxnRequest.newBuilder();
    long revision = 0;
    for (int i = 1; i <= 3; i++) {
      ByteString key = key(i);
      revision = put(key);
      deletions.addSuccess(Keys.delete(key));
    }
    watches.add(heard, QUEUE, revision + 1);

    KVGrpc.newBlockingStub(direct).txn(deletions.build());

    Awaitility.await().until(() -> heard.events.get() == 3);
    watches.close();
  }

  /** The watch is still at the server, and its event has come before the listener. */
  @Test
  void a_listener_on_an_idle_watch_receives_the_event_it_has_missed() {
    ByteString key = ByteString.copyFromUtf8("key");
    Target deletion = deletionOf(key);
    EtcdWatches watches = watches();
    Events first = new Events();
    Events second = new Events();
    long before = put(key);
    watches.add(first, deletion, before + 1);
    watches.add(second, deletion, before + 1);
    delete(key);
    Awaitility.await().until(() -> first.events.get() == 1 && second.events.get() == 1);
    watches.remove(second);
    Events late = new Events();
    Events next = new Events();

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

  /** The watch is cancelled by an event without a listener; a later listener still receives it. */
  @Test
  void an_event_without_a_listener_is_delivered_to_a_later_one() {
    ByteString key = ByteString.copyFromUtf8("key");
    EtcdWatches watches = watches();
    Events idle = new Events();
    Events marker = new Events();
    ByteString other = ByteString.copyFromUtf8("other");
    long before = put(key);
    watches.add(idle, deletionOf(key), before + 1);
    watches.add(marker, deletionOf(other), put(other) + 1);
    watches.remove(idle);
    delete(key);
    delete(other);
    Awaitility.await().until(() -> marker.events.get() == 1);
    Events late = new Events();

    watches.add(late, deletionOf(key), before + 1);

    Awaitility.await().until(() -> late.events.get() == 1);
    assertThat(idle.events).hasValue(0);
    watches.close();
  }

  @Test
  void compacted_events_are_reported_as_missed_once() {
    Events heard = new Events();
    EtcdWatches watches = watches();
    ByteString key = key(1);
    watches.add(heard, QUEUE, put(key) + 1);
    Awaitility.await().until(() -> network.connections() > 0);

    network.cut();
    put(key);
    compact(put(key));
    network.heal();

    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> heard.missed.get() == 1);
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

      // Woken now and then until the watch is there again; after that, by the release only.
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

  /** Returns whether no wake-up comes for longer than it takes to open a stream. */
  private static boolean staysQuiet(AtomicInteger hints, int before) {
    try {
      Awaitility.await().atMost(Duration.ofMillis(800)).until(() -> hints.get() > before);
      return false;
    } catch (org.awaitility.core.ConditionTimeoutException quiet) {
      return true;
    }
  }

  private EtcdWatches watches() {
    Channels members = new Channels(List.of(channel(network.port())), true);
    return new EtcdWatches(new Calls("etcd:", members, new StoreSettings(ticker, TIMEOUT)), KEYS);
  }

  private static ByteString key(int number) {
    return Keys.bytes(KEYS.claim("lock", number));
  }

  private static Target deletionOf(ByteString key) {
    return new Target("lock", key.toStringUtf8());
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

  /** Counts what a watch reports. */
  private static final class Events implements Listener {
    private final AtomicInteger events = new AtomicInteger();
    private final AtomicInteger missed = new AtomicInteger();

    @Override
    public void deleted(String key) {
      events.incrementAndGet();
    }

    @Override
    public void changed(StoredKey now) {
      events.incrementAndGet();
    }

    @Override
    public void interrupted() {}

    @Override
    public void missed() {
      missed.incrementAndGet();
    }

    @Override
    public void refused() {}
  }
}
