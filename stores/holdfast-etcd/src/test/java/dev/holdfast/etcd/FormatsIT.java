package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.Owner;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records of other versions in the queue. */
@NeedsServer(Server.ETCD)
class FormatsIT {

  private static final Keys KEYS = new Keys(EtcdOptions.defaults().prefix());

  private final String lock = Ask.name();
  private EtcdFixture fixture;
  private ManagedChannel channel;

  @BeforeEach
  void connect() {
    String url = EtcdServer.shared().url();
    fixture = new EtcdFixture(url, () -> {});
    channel =
        Grpc.newChannelBuilder(
                url.substring("etcd://".length()), InsecureChannelCredentials.create())
            .build();
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    fixture.close();
  }

  @Test
  void a_claim_of_the_version_before_is_respected() {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    write(1, "2 MUTEX 1 1 claim 1794798627962000 " + owner.encode() + " someone");

    try (LockStore store = fixture.open()) {
      assertThat(Ask.join(store, Ask.mutex(lock))).isEqualTo(new Busy(owner));
      assertThat(Ask.queue(store, Ask.mutex(lock))).isEqualTo(new Queued(1));
    }
  }

  @Test
  void a_claim_of_a_newer_version_that_waits_ends_no_keepable_claim() {
    Claim holder = Ask.mutex(lock).keepable(true);
    try (LockStore store = fixture.open()) {
      long token = Ask.granted(store, holder).token();

      write(1, "4 SOMETHING new");

      for (boolean keepable : new boolean[] {true, true, false}) {
        Granted granted = (Granted) Ask.refresh(store, holder.keepable(keepable));
        assertThat(granted.token()).isEqualTo(token);
        assertThat(granted.wanted()).isEqualTo(keepable);
      }
    }
  }

  private void write(int number, String text) {
    KVGrpc.newBlockingStub(channel)
        .put(
            PutRequest.newBuilder()
                .setKey(Keys.bytes(KEYS.claim(lock, number)))
                .setValue(ByteString.copyFromUtf8(text))
                .build());
  }
}
