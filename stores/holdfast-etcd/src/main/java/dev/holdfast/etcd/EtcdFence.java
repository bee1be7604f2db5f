package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Fence;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.FenceToken;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;

/**
 * A fence for data in etcd: a key for each lock, with the highest exclusive token that has entered.
 *
 * <p>{@link #enter} before the first read. Then make the write a transaction of your own, with any
 * client, that compares the value of {@link #key} with {@link #value}: equal. For shared tokens
 * compare whether it is greater, and write in the branch for failure: as long as nobody exclusive
 * has entered there is no such key, and every comparison with it fails. Whoever enters later
 * changes it, so nobody comes in between. The lock may live elsewhere: the fence takes the tokens
 * of any store.
 *
 * <p><b>Threads.</b> Any; calls wait for etcd, at most 5 s. {@link #close} leaves the connections
 * to the caller.
 */
public final class EtcdFence implements Fence, AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String FENCE = "\0fence/";
  private static final Pattern STORED = Pattern.compile("[0-9]{19}");

  private final String prefix;
  private final Calls calls;
  private final Runnable afterwards;

  EtcdFence(Calls calls, String prefix, Runnable afterwards) {
    this.calls = calls;
    this.prefix = prefix;
    this.afterwards = afterwards;
  }

  /** On the caller's own connections, one for each member. */
  public static EtcdFence over(List<? extends Channel> members, EtcdOptions options) {
    Ticker ticker = Ticker.system("holdfast-etcd-fence");
    Members all = new Members(members, false);
    Login login = new Login(all, Credentials.none(), TIMEOUT);
    return new EtcdFence(
        new Calls("etcd:", all, login, ticker, TIMEOUT), options.prefix(), ticker::close);
  }

  /** Two round trips; one for a token that has entered before, and for readers. */
  @Override
  public void enter(Proof proof) {
    long raised = FenceToken.raising(proof);
    while (true) {
      KeyValue seen = read(proof.lock());
      long current = token(proof.lock(), seen);
      FenceToken.refuseOlder(proof, current);
      if (raised <= current || replace(proof, seen)) {
        return;
      } // else somebody else has entered meanwhile
    }
  }

  /** Writes only over what was read: nobody else may have entered, or damaged it, meanwhile. */
  private boolean replace(Proof proof, KeyValue seen) {
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(Ops.modifiedAt(key(proof), seen.getModRevision()))
            .addSuccess(Ops.put(key(proof), value(proof), 0))
            .build();
    return answer(proof.lock(), txn).getSucceeded();
  }

  @Override
  public void check(Proof proof) {
    enter(proof);
  }

  @Override
  public long current(String lock) {
    return token(lock, read(lock));
  }

  @Override
  public void reset(String lock, long token) {
    FenceToken.forReset(lock, token);
    RequestOp put =
        token == FenceToken.NONE ? Ops.delete(key(lock)) : Ops.put(key(lock), value(token), 0);
    answer(lock, TxnRequest.newBuilder().addSuccess(put).build());
  }

  /** The key that the caller's own transactions compare. */
  public ByteString key(Proof proof) {
    return key(proof.lock());
  }

  private ByteString key(String lock) {
    return ByteString.copyFromUtf8(prefix + FENCE + lock);
  }

  /**
   * The value that the key has as long as nobody has entered later.
   *
   * @throws IllegalArgumentException for a permit of a semaphore: permits have no order
   */
  public ByteString value(Proof proof) {
    return value(FenceToken.of(proof));
  }

  private static ByteString value(long token) {
    return ByteString.copyFromUtf8(String.format(Locale.ROOT, "%019d", token));
  }

  /** As it is now; with revision 0 if it is not there. */
  private KeyValue read(String lock) {
    TxnRequest txn = TxnRequest.newBuilder().addSuccess(Ops.get(key(lock))).build();
    RangeResponse found = answer(lock, txn).getResponses(0).getResponseRange();
    return found.getKvsCount() == 0 ? KeyValue.getDefaultInstance() : found.getKvs(0);
  }

  private long token(String lock, KeyValue seen) {
    if (seen.getModRevision() == 0) {
      return FenceToken.NONE;
    }
    String text = seen.getValue().toStringUtf8();
    // All of one length, so that etcd, which compares text, compares numbers.
    if (!STORED.matcher(text).matches()) {
      throw FenceToken.damaged(lock, place(lock), "'" + FenceToken.printable(text) + "'");
    }
    return FenceToken.read(lock, place(lock), text.replaceFirst("^0+(?=.)", ""));
  }

  private String place(String lock) {
    return "key " + prefix + FENCE.replace("\0", "\\0") + lock;
  }

  @Override
  public void close() {
    afterwards.run();
  }

  private TxnResponse answer(String lock, TxnRequest txn) {
    try {
      return calls.txn("check", lock, txn, calls.deadline()).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException cause ? cause : e;
    }
  }
}
