package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.List;

/** The parts that transactions are made of. */
final class Ops {

  private Ops() {}

  /** The key was created at this revision and is still there; 0: it is not there. */
  static Compare createdAt(ByteString key, long revision) {
    return created(key, revision).setResult(Compare.CompareResult.EQUAL).build();
  }

  /** The key has not been changed since this revision. */
  static Compare modifiedAt(ByteString key, long revision) {
    return Compare.newBuilder()
        .setKey(key)
        .setTarget(Compare.CompareTarget.MOD)
        .setResult(Compare.CompareResult.EQUAL)
        .setModRevision(revision)
        .build();
  }

  /** The range is empty. */
  static Compare empty(ByteString first, ByteString after) {
    return created(first, 0).setRangeEnd(after).setResult(Compare.CompareResult.EQUAL).build();
  }

  /** Nothing came into the range after this revision. */
  static Compare unjoinedSince(ByteString first, ByteString after, long revision) {
    return created(first, revision + 1)
        .setRangeEnd(after)
        .setResult(Compare.CompareResult.LESS)
        .build();
  }

  /** Nothing in the range is older than what was created at this revision, and that is there. */
  static Compare noneBefore(ByteString first, ByteString after, long revision) {
    return created(first, revision - 1)
        .setRangeEnd(after)
        .setResult(Compare.CompareResult.GREATER)
        .build();
  }

  /** There is something in the range, and the values of all of it begin like this. */
  static List<Compare> allLike(ByteString first, ByteString after, ByteString start) {
    return List.of(
        value(first, start).setRangeEnd(after).setResult(Compare.CompareResult.GREATER).build(),
        value(first, Keys.following(start))
            .setRangeEnd(after)
            .setResult(Compare.CompareResult.LESS)
            .build());
  }

  /** There is something in the range, and none of it has this value. */
  static Compare noneIs(ByteString first, ByteString after, ByteString value) {
    return value(first, value)
        .setRangeEnd(after)
        .setResult(Compare.CompareResult.NOT_EQUAL)
        .build();
  }

  private static Compare.Builder value(ByteString key, ByteString value) {
    return Compare.newBuilder().setKey(key).setTarget(Compare.CompareTarget.VALUE).setValue(value);
  }

  private static Compare.Builder created(ByteString key, long revision) {
    return Compare.newBuilder()
        .setKey(key)
        .setTarget(Compare.CompareTarget.CREATE)
        .setCreateRevision(revision);
  }

  static RequestOp put(ByteString key, ByteString value, long lease) {
    PutRequest put = PutRequest.newBuilder().setKey(key).setValue(value).setLease(lease).build();
    return RequestOp.newBuilder().setRequestPut(put).build();
  }

  static RequestOp delete(ByteString key) {
    DeleteRangeRequest delete = DeleteRangeRequest.newBuilder().setKey(key).build();
    return RequestOp.newBuilder().setRequestDeleteRange(delete).build();
  }

  /** Deletes the seat, if it is still taken by the same claim. */
  static TxnRequest.Builder ending(Seat seat) {
    return TxnRequest.newBuilder()
        .addCompare(createdAt(seat.key(), seat.created()))
        .addSuccess(delete(seat.key()));
  }

  static RequestOp get(ByteString key) {
    return get(RangeRequest.newBuilder().setKey(key).build());
  }

  static RequestOp get(ByteString first, ByteString after) {
    return get(RangeRequest.newBuilder().setKey(first).setRangeEnd(after).build());
  }

  private static RequestOp get(RangeRequest range) {
    return RequestOp.newBuilder().setRequestRange(range).build();
  }

  static RequestOp nested(TxnRequest.Builder txn) {
    return RequestOp.newBuilder().setRequestTxn(txn).build();
  }
}
