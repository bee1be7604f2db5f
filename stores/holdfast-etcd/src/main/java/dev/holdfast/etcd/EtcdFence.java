package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.FenceToken;
import dev.holdfast.Proof;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Attempts.Purpose;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.VersionedFence;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A fence for data in etcd: a key for each lock, with the highest exclusive token that has entered.
 *
 * <p>{@link #enter} before the first read. Then make the write your own transaction, with any
 * client, that compares the value of {@link #key} with {@link #value}: equal. For shared tokens
 * compare whether it is greater, and write in the branch for failure: until an exclusive token has
 * entered there is no such key, and every comparison with it fails. A later entry changes the key,
 * so no write comes in between. The lock may be in another store: the fence takes the tokens of
 * any.
 *
 * <p>Thread-safe; calls wait for etcd, at most 5 s. {@link #close} leaves the connections to the
 * caller.
 */
public final class EtcdFence extends VersionedFence implements AutoCloseable {

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
    Calls calls =
        new Calls("etcd:", new Channels(members, false), new StoreSettings(ticker, TIMEOUT));
    return new EtcdFence(calls, options.prefix(), ticker::close);
  }

  @Override
  public void check(Proof proof) {
    enter(proof); // so that the key is there for the transactions that compare it
  }

  @Override
  protected boolean replace(String lock, FenceState seen, long token) {
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(Keys.modifiedAt(key(lock), seen.version()))
            .addSuccess(Keys.put(key(lock), value(token), 0))
            .build();
    return answer(lock, txn).getSucceeded();
  }

  @Override
  protected void put(String lock, long token) {
    RequestOp put =
        token == FenceToken.NONE ? Keys.delete(key(lock)) : Keys.put(key(lock), value(token), 0);
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
   * The value that the key has until a later token enters.
   *
   * @throws IllegalArgumentException for a permit of a semaphore: permits have no order
   */
  public ByteString value(Proof proof) {
    return value(FenceToken.of(proof));
  }

  private static ByteString value(long token) {
    return ByteString.copyFromUtf8(String.format(Locale.ROOT, "%019d", token));
  }

  @Override
  protected FenceState read(String lock) {
    TxnRequest txn = TxnRequest.newBuilder().addSuccess(Keys.get(key(lock))).build();
    List<KeyValue> found = Keys.found(answer(lock, txn));
    if (found.isEmpty()) {
      return new FenceState(FenceToken.NONE, 0); // the revision of what is not there
    }
    KeyValue stored = found.get(0);
    String text = stored.getValue().toStringUtf8();
    // All of one length, so that etcd, which compares text, compares numbers.
    if (!STORED.matcher(text).matches()) {
      throw damaged(lock, "'" + FenceToken.printable(text) + "'");
    }
    return new FenceState(token(lock, text.replaceFirst("^0+(?=.)", "")), stored.getModRevision());
  }

  @Override
  protected String place(String lock) {
    return "key " + prefix + FENCE.replace("\0", "\\0") + lock;
  }

  @Override
  public void close() {
    afterwards.run();
  }

  private TxnResponse answer(String lock, TxnRequest txn) {
    return Failures.join(calls.txn(new Purpose("check", lock, calls.deadline(), false), txn));
  }
}
