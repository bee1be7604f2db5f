package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ForeignTextContract;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

@NeedsServer(Server.ETCD)
class EtcdForeignTextIT extends ForeignTextContract {

  private static final Keys KEYS = new Keys(EtcdOptions.defaults().prefix());
  private static final int OWNER = 6;

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

  @Override
  protected LockStore open() {
    return fixture.open();
  }

  @Override
  protected void overwrite(String lock, String owner, String value) {
    KVGrpc.KVBlockingStub keys = KVGrpc.newBlockingStub(channel);
    KeyValue claim =
        keys.range(
                RangeRequest.newBuilder()
                    .setKey(KEYS.queue(lock).first())
                    .setRangeEnd(KEYS.queue(lock).after())
                    .build())
            .getKvs(0);
    String[] fields = claim.getValue().toStringUtf8().split("\n", 2)[0].split(" ", OWNER + 1);
    String id = fields[OWNER].substring(fields[OWNER].lastIndexOf(' ') + 1);
    fields[OWNER] = owner + " " + id;
    keys.put(
        PutRequest.newBuilder()
            .setKey(claim.getKey())
            .setValue(ByteString.copyFromUtf8(String.join(" ", fields) + "\n" + value))
            .setIgnoreLease(true)
            .build());
  }
}
