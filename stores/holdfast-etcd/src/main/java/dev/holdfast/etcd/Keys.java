package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where claims are stored, and the parts of transactions on them. A claim is at {@code prefix lock
 * NUL / number}: no lock's name has a NUL, so no two locks share a range, and ranges are in the
 * order of names. Tombstones are at {@code prefix NUL left/ id}, before all locks.
 */
record Keys(String prefix) {

  /** How many nested operations one transaction takes: etcd allows 128 by default. */
  static final int MOST = 100;

  private static final String END = "\0/";
  private static final String AFTER_END = "\0" + (char) ('/' + 1);
  private static final String LEFT = "\0left/";

  /** One of the keys that a lock's claims may use. */
  String claim(String lock, int number) {
    return prefix + lock + END + number;
  }

  /** The mark that refuses a late join. */
  ByteString tombstone(Claim claim) {
    return ByteString.copyFromUtf8(prefix + LEFT + claim.id());
  }

  /** All keys of a lock's claims. */
  Range queue(String lock) {
    String start = prefix + lock;
    return new Range(
        ByteString.copyFromUtf8(start + END), ByteString.copyFromUtf8(start + AFTER_END));
  }

  /** All locks whose names start like this; tombstones are before them. */
  Range locks(String names) {
    return new Range(
        bytes(prefix + (names.isEmpty() ? "\1" : names)), following(bytes(prefix + names)));
  }

  /**
   * @return the lock that a claim's key belongs to, null if it is not the key of a claim
   */
  @Nullable String lock(String key) {
    int end = key.indexOf(END, prefix.length());
    return end < 0 ? null : key.substring(prefix.length(), end);
  }

  /** The first key after all that start like this. */
  private static ByteString following(ByteString start) {
    byte[] bytes = start.toByteArray(); // UTF-8 never has 0xff, so the last byte can be raised
    bytes[bytes.length - 1]++;
    return ByteString.copyFrom(bytes);
  }

  /** A key as etcd takes it. */
  static ByteString bytes(String key) {
    return ByteString.copyFromUtf8(key);
  }

  /** A key as an answer or an event describes it. */
  static StoredKey stored(KeyValue read) {
    return new StoredKey(
        read.getKey().toStringUtf8(),
        read.getValue().toStringUtf8(),
        read.getLease() == 0 ? "" : Long.toString(read.getLease()),
        read.getCreateRevision(),
        read.getModRevision());
  }

  /** True if the key was created at this revision and is still there; 0: if it is not there. */
  static Compare createdAt(ByteString key, long revision) {
    return Compare.newBuilder()
        .setKey(key)
        .setTarget(CompareTarget.CREATE)
        .setCreateRevision(revision)
        .build();
  }

  /** True if the key has not been changed since this revision. */
  static Compare modifiedAt(ByteString key, long revision) {
    return Compare.newBuilder()
        .setKey(key)
        .setTarget(CompareTarget.MOD)
        .setModRevision(revision)
        .build();
  }

  /** True if the key is still the claim's that created it there. */
  static Compare isThere(Place place) {
    return createdAt(bytes(place.key()), place.created());
  }

  /** True if the key has not been changed since it was read. */
  static Compare isUnchanged(StoredKey stored) {
    return modifiedAt(bytes(stored.key()), stored.modified());
  }

  /** Puts a key on a lease; 0: on none. */
  static RequestOp put(ByteString key, ByteString value, long lease) {
    PutRequest put = PutRequest.newBuilder().setKey(key).setValue(value).setLease(lease).build();
    return RequestOp.newBuilder().setRequestPut(put).build();
  }

  static RequestOp delete(ByteString key) {
    DeleteRangeRequest delete = DeleteRangeRequest.newBuilder().setKey(key).build();
    return RequestOp.newBuilder().setRequestDeleteRange(delete).build();
  }

  static RequestOp get(ByteString key) {
    return RequestOp.newBuilder().setRequestRange(RangeRequest.newBuilder().setKey(key)).build();
  }

  /**
   * @return what the first operation of a transaction has read
   */
  static List<KeyValue> found(TxnResponse done) {
    return done.getResponses(0).getResponseRange().getKvsList();
  }

  /** A transaction within another one. */
  static RequestOp nested(TxnRequest.Builder txn) {
    return RequestOp.newBuilder().setRequestTxn(txn).build();
  }

  /** Deletes a key if this condition on it holds. */
  static TxnRequest.Builder deleteIf(Compare unchanged) {
    return TxnRequest.newBuilder().addCompare(unchanged).addSuccess(delete(unchanged.getKey()));
  }

  /** Deletes the key of each of these conditions that holds. */
  static TxnRequest deletingEach(List<Compare> unchanged) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    unchanged.forEach(one -> txn.addSuccess(nested(deleteIf(one))));
    return txn.build();
  }

  /**
   * @return true if a condition of a nested transaction held
   */
  static boolean anyDone(TxnResponse done) {
    return done.getResponsesList().stream().anyMatch(one -> one.getResponseTxn().getSucceeded());
  }

  /**
   * The keys from the first one to the end, which does not belong to it, and conditions on them.
   */
  record Range(ByteString first, ByteString after) {

    /** The part of it after this key. */
    Range behind(ByteString key) {
      return new Range(key.concat(ByteString.copyFrom(new byte[] {0})), after);
    }

    /** Reads all of it. */
    RequestOp get() {
      return RequestOp.newBuilder()
          .setRequestRange(RangeRequest.newBuilder().setKey(first).setRangeEnd(after))
          .build();
    }

    /** Reads its first keys. */
    RequestOp get(int limit) {
      RequestOp.Builder get = get().toBuilder();
      get.getRequestRangeBuilder().setLimit(limit);
      return get.build();
    }

    /** True if no key was created in it after this revision; 0: if it is empty. */
    Compare unjoinedSince(long revision) {
      return created(CompareResult.LESS, revision + 1);
    }

    /** True if the key created at this revision is there, and none is older. */
    Compare noneBefore(long revision) {
      return created(CompareResult.GREATER, revision - 1);
    }

    /** True if it is not empty and all values start like this. */
    List<Compare> allLike(String start) {
      ByteString bytes = bytes(start);
      return List.of(
          value(CompareResult.GREATER, bytes), value(CompareResult.LESS, following(bytes)));
    }

    /** True if it is not empty and no key has this value. */
    Compare noneIs(ByteString value) {
      return value(CompareResult.NOT_EQUAL, value);
    }

    private Compare created(CompareResult result, long revision) {
      return Compare.newBuilder()
          .setKey(first)
          .setRangeEnd(after)
          .setTarget(CompareTarget.CREATE)
          .setResult(result)
          .setCreateRevision(revision)
          .build();
    }

    private Compare value(CompareResult result, ByteString value) {
      return Compare.newBuilder()
          .setKey(first)
          .setRangeEnd(after)
          .setTarget(CompareTarget.VALUE)
          .setResult(result)
          .setValue(value)
          .build();
    }
  }
}
