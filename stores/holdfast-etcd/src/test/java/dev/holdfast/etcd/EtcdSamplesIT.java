package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The samples of docs/stores/etcd.md, and what it says is stored. */
@NeedsServer(Server.ETCD)
class EtcdSamplesIT {

  private final String url = EtcdServer.shared().url();
  private final ManagedChannel channel =
      Grpc.newChannelBuilder(url.substring("etcd://".length()), InsecureChannelCredentials.create())
          .build();

  @AfterEach
  void close() {
    channel.shutdownNow();
  }

  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    // sample: connect
    Holdfast locks = Holdfast.connect(url); // etcd://etcd-1:2379,etcd-2:2379,etcd-3:2379
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_store_works_on_the_connections_of_its_caller() throws Exception {
    // sample: channels
    EtcdOptions options = new EtcdOptions("billing/");
    Holdfast locks =
        Holdfast.builder().store(EtcdLockStore.over(List.of(channel), options)).build();
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_fence_guards_data_in_etcd() throws Exception {
    String lock = Ask.name();
    ByteString balance = ByteString.copyFromUtf8(lock + "/balance");
    try (Holdfast locks = Holdfast.connect(url)) {
      // sample: fence
      EtcdFence fence = EtcdFence.over(List.of(channel), EtcdOptions.defaults());
      try (Lease lease = locks.lock(lock).acquire()) {
        fence.enter(lease.proof()); // before the first read
        TxnRequest write =
            TxnRequest.newBuilder()
                .addCompare(
                    Compare.newBuilder()
                        .setKey(fence.key(lease.proof()))
                        .setTarget(Compare.CompareTarget.VALUE)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setValue(fence.value(lease.proof())))
                .addSuccess(
                    RequestOp.newBuilder()
                        .setRequestPut(
                            PutRequest.newBuilder()
                                .setKey(balance)
                                .setValue(ByteString.copyFromUtf8("150"))))
                .build();
        if (!KVGrpc.newBlockingStub(channel).txn(write).getSucceeded()) {
          throw new IllegalStateException("a later holder has entered");
        }
      }
      // end
      fence.close();
      RangeRequest range = RangeRequest.newBuilder().setKey(balance).build();
      assertThat(KVGrpc.newBlockingStub(channel).range(range).getKvsList()).hasSize(1);
    }
  }

  @Test
  void an_operator_finds_the_lock_by_its_name_and_reads_who_holds_it() throws Exception {
    String name = Ask.name();
    try (Holdfast locks = Holdfast.connect(url);
        Lease lease = locks.lock(name).acquire()) {
      ByteString first = ByteString.copyFromUtf8("holdfast/" + name);
      RangeRequest range =
          RangeRequest.newBuilder()
              .setKey(first)
              .setRangeEnd(first.concat(ByteString.copyFrom(new byte[] {1})))
              .build();
      KeyValue stored = KVGrpc.newBlockingStub(channel).range(range).getKvs(0);

      assertThat(stored.getKey().toStringUtf8()).matches("holdfast/" + name + "\0/0");
      assertThat(stored.getValue().toStringUtf8()).matches("3 MUTEX 1 1 claim \\d{16} \\S+ \\w+");
      assertThat(lease.token()).isEqualTo(stored.getCreateRevision() * 1024);
    }
  }

  private static void assertThatItWorks(Holdfast locks) throws InterruptedException {
    try (locks;
        Lease lease = locks.lock(Ask.name()).acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }
}
