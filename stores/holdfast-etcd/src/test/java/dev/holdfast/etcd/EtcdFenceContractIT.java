package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.StoredFenceContract;
import dev.holdfast.testkit.store.Ask;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NeedsServer(Server.ETCD)
class EtcdFenceContractIT extends StoredFenceContract {

  private final ManagedChannel channel =
      Grpc.newChannelBuilder(
              EtcdServer.shared().url().substring("etcd://".length()),
              InsecureChannelCredentials.create())
          .build();
  private final EtcdFence fence = EtcdFence.over(List.of(channel), EtcdOptions.defaults());

  @AfterEach
  void close() {
    fence.close();
    channel.shutdownNow();
  }

  @Override
  protected Fence fence() {
    return fence;
  }

  @Override
  protected void overwrite(String name, String text) {
    ByteString key = fence.key(proof(name, 1));
    TxnRequest txn =
        TxnRequest.newBuilder().addSuccess(Keys.put(key, ByteString.copyFromUtf8(text), 0)).build();
    KVGrpc.newBlockingStub(channel).txn(txn);
  }

  @Override
  protected String place(String name) {
    return "key " + EtcdOptions.defaults().prefix() + "\\0fence/" + name;
  }

  /** etcd compares text: what is not of this length would be compared wrongly. */
  @Override
  protected List<String> damages() {
    List<String> damages = new ArrayList<>(super.damages());
    damages.addAll(
        List.of("7", "000000000000000007", "00000000000000000007", "00000000000000000-7"));
    return damages;
  }

  @Test
  void a_client_of_the_store_finds_the_same_fence() {
    isTheFenceOf(EtcdServer.shared().url());
  }

  @Test
  void a_write_of_the_callers_own_fails_once_a_later_holder_has_entered() {
    String lock = Ask.name();
    Proof old = proof(lock, 7);
    fence.enter(old);
    assertThat(write(old)).isTrue();

    fence.enter(proof(lock, 8));

    assertThat(write(old)).isFalse();
    assertThat(write(proof(lock, 8))).isTrue();
    assertThatThrownBy(() -> fence.check(old)).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void a_shared_write_of_the_callers_own_fails_once_a_later_exclusive_holder_has_entered() {
    String lock = Ask.name();
    Proof reader = new Proof(lock, 7, Mode.SHARED, proof(lock, 7).owner());
    fence.enter(reader);
    assertThat(writeShared(reader)).isTrue(); // no exclusive token has entered

    fence.enter(proof(lock, 6));
    assertThat(writeShared(reader)).isTrue();
    fence.enter(proof(lock, 8));
    assertThat(writeShared(reader)).isFalse();
  }

  /** Written unless the fence is greater: what cannot be compared is a key that is not there. */
  private boolean writeShared(Proof proof) {
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(
                Compare.newBuilder()
                    .setKey(fence.key(proof))
                    .setTarget(Compare.CompareTarget.VALUE)
                    .setResult(Compare.CompareResult.GREATER)
                    .setValue(fence.value(proof)))
            .addFailure(Keys.put(ByteString.copyFromUtf8(proof.lock()), ByteString.EMPTY, 0))
            .build();
    return !KVGrpc.newBlockingStub(channel).txn(txn).getSucceeded();
  }

  private boolean write(Proof proof) {
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(
                Compare.newBuilder()
                    .setKey(fence.key(proof))
                    .setTarget(Compare.CompareTarget.VALUE)
                    .setResult(Compare.CompareResult.EQUAL)
                    .setValue(fence.value(proof)))
            .addSuccess(Keys.put(ByteString.copyFromUtf8(proof.lock()), ByteString.EMPTY, 0))
            .build();
    return KVGrpc.newBlockingStub(channel).txn(txn).getSucceeded();
  }

  private static Proof proof(String lock, long token) {
    return new Proof(lock, token, Mode.EXCLUSIVE, new Owner("host", 1, "thread", "client", ""));
  }
}
