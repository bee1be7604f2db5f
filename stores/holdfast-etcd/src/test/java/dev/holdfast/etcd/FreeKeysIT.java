package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** However often a lock is used, etcd has few keys to remember. */
@NeedsServer(Server.ETCD)
class FreeKeysIT {

  private static final Keys KEYS = new Keys(EtcdOptions.defaults().prefix());

  private final String lock = Ask.name();
  private EtcdFixture fixture;
  private ManagedChannel channel;

  @BeforeEach
  void open() {
    fixture = new EtcdFixture(EtcdServer.shared().url(), () -> {});
    channel =
        Grpc.newChannelBuilder(
                EtcdServer.shared().url().substring("etcd://".length()),
                InsecureChannelCredentials.create())
            .build();
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    fixture.close();
  }

  @Test
  void all_clients_use_the_same_key_of_a_free_lock() {
    for (int client = 0; client < 5; client++) {
      try (LockStore store = fixture.open()) {
        for (int i = 0; i < 5; i++) {
          Claim claim = Ask.mutex(lock);
          Ask.granted(store, claim);
          Ask.leave(store, claim);
        }
      }
    }

    assertThat(namesAfter(25)).hasSize(1);
  }

  @Test
  void waiters_use_two_keys_for_each_client_and_one_more() {
    try (LockStore one = fixture.open();
        LockStore other = fixture.open()) {
      List<LockStore> stores = List.of(one, other);
      Claim holder = Ask.mutex(lock);
      Ask.granted(other, holder);
      for (int turn = 0; turn < 30; turn++) {
        LockStore waiting = stores.get(turn % 2);
        Claim next = Ask.mutex(lock);
        assertThat(Ask.queue(waiting, next)).isInstanceOf(Queued.class);
        Ask.leave(stores.get((turn + 1) % 2), holder);
        assertThat(Ask.refresh(waiting, next)).isInstanceOf(Granted.class);
        holder = next;
      }
    }

    // A few more if the clients had a usual key in common, and one of them took another.
    assertThat(namesAfter(31)).hasSizeLessThanOrEqualTo(8);
  }

  @Test
  void many_claims_of_one_client_find_a_key_each_and_free_it() {
    try (LockStore store = fixture.open()) {
      List<Claim> claims = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        claims.add(Ask.mutex(lock));
        Ask.queue(store, claims.get(i));
      }
      for (Claim claim : claims) {
        assertThat(Ask.refresh(store, claim)).isInstanceOf(Granted.class);
        Ask.leave(store, claim);
      }
      assertThat(Ask.of(store.inspect(lock)).isHeld()).isFalse();
    }
  }

  /** The names of all keys of the lock that were ever made, once that many have been. */
  private Set<ByteString> namesAfter(int made) {
    ConcurrentLinkedQueue<ByteString> names = new ConcurrentLinkedQueue<>();
    StreamObserver<WatchRequest> requests =
        WatchGrpc.newStub(channel)
            .watch(
                new StreamObserver<WatchResponse>() {
                  @Override
                  public void onNext(WatchResponse response) {
                    response.getEventsList().stream()
                        .filter(FreeKeysIT::isNew)
                        .forEach(event -> names.add(event.getKv().getKey()));
                  }

                  @Override
                  public void onError(Throwable failure) {}

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder()
                    .setKey(KEYS.queue(lock).first())
                    .setRangeEnd(KEYS.queue(lock).after())
                    .setStartRevision(1))
            .build());
    Awaitility.await().until(() -> names.size() >= made);
    requests.onCompleted();
    return new HashSet<>(names);
  }

  private static boolean isNew(Event event) {
    return event.getType() == Event.EventType.PUT
        && event.getKv().getCreateRevision() == event.getKv().getModRevision();
  }
}
