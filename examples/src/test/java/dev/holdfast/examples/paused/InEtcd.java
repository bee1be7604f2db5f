package dev.holdfast.examples.paused;

import com.google.protobuf.ByteString;
import dev.holdfast.Proof;
import dev.holdfast.etcd.EtcdFence;
import dev.holdfast.etcd.EtcdOptions;
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

/** Keys in etcd; one transaction compares the fence's key and writes. */
final class InEtcd implements Guarded {

  private final ManagedChannel channel;
  private final EtcdFence fence;

  InEtcd(String url) {
    String member = url.substring("etcd://".length());
    channel = Grpc.newChannelBuilder(member, InsecureChannelCredentials.create()).build();
    fence = EtcdFence.over(List.of(channel), EtcdOptions.defaults());
  }

  @Override
  public void enter(Proof proof) {
    fence.enter(proof);
  }

  @Override
  public String read(String lock) {
    RangeRequest get = RangeRequest.newBuilder().setKey(key(lock)).build();
    List<KeyValue> found = KVGrpc.newBlockingStub(channel).range(get).getKvsList();
    return found.isEmpty() ? "" : found.get(0).getValue().toStringUtf8();
  }

  @Override
  public void write(Proof proof, String text) {
    Compare nobodyLater =
        Compare.newBuilder()
            .setKey(fence.key(proof))
            .setTarget(Compare.CompareTarget.VALUE)
            .setResult(Compare.CompareResult.EQUAL)
            .setValue(fence.value(proof))
            .build();
    PutRequest put =
        PutRequest.newBuilder()
            .setKey(key(proof.lock()))
            .setValue(ByteString.copyFromUtf8(text))
            .build();
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(nobodyLater)
            .addSuccess(RequestOp.newBuilder().setRequestPut(put))
            .build();
    if (!KVGrpc.newBlockingStub(channel).txn(txn).getSucceeded()) {
      fence.check(proof); // says who was here
      throw new IllegalStateException("'" + proof.lock() + "' was written without being entered");
    }
  }

  private static ByteString key(String lock) {
    return ByteString.copyFromUtf8("data/" + lock);
  }

  @Override
  public void close() {
    fence.close();
    channel.shutdownNow();
  }
}
