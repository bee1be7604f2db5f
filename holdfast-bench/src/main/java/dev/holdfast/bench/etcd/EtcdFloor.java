package dev.holdfast.bench.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.Mutex;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;

/**
 * One transaction makes the lock's key if there is none, one deletes it if it is still the one we
 * made: two round trips on one connection. The revision at which it was made is the token, and the
 * owner check. The key hangs on a lease that outlives the benchmark, so nothing is renewed.
 */
record EtcdFloor(ManagedChannel channel, KVGrpc.KVBlockingStub kv, long lease) implements Client {

  static final Contender CONTENDER = Floor.of(EtcdFloor::open);

  private static final long LEASE_SECONDS = 3600;

  private static Client open(String url) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(EtcdStore.authority(url), InsecureChannelCredentials.create())
            .build();
    LeaseGrantRequest grant = LeaseGrantRequest.newBuilder().setTTL(LEASE_SECONDS).build();
    long lease = LeaseGrpc.newBlockingStub(channel).leaseGrant(grant).getID();
    return new EtcdFloor(channel, KVGrpc.newBlockingStub(channel), lease);
  }

  @Override
  public Mutex mutex(String name) {
    ByteString key = ByteString.copyFromUtf8("floor/" + name);
    TxnRequest take = take(key, lease);
    return () -> {
      TxnResponse taken = kv.txn(take);
      long revision = taken.getSucceeded() ? taken.getHeader().getRevision() : 0;
      return Floor.held(revision, () -> kv.txn(release(key, revision)));
    };
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  private static TxnRequest take(ByteString key, long lease) {
    return TxnRequest.newBuilder()
        .addCompare(createdAt(key, 0))
        .addSuccess(
            RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder().setKey(key).setLease(lease)))
        .build();
  }

  private static TxnRequest release(ByteString key, long revision) {
    return TxnRequest.newBuilder()
        .addCompare(createdAt(key, revision))
        .addSuccess(
            RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key)))
        .build();
  }

  private static Compare createdAt(ByteString key, long revision) {
    return Compare.newBuilder()
        .setTarget(Compare.CompareTarget.CREATE)
        .setResult(Compare.CompareResult.EQUAL)
        .setKey(key)
        .setCreateRevision(revision)
        .build();
  }
}
