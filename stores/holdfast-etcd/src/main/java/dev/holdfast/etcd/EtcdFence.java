package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;

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

  private final String prefix;
  private final Ticker ticker = Ticker.system("holdfast-etcd-fence");
  private final Calls calls;

  private EtcdFence(List<? extends Channel> channels, EtcdOptions options) {
    Members members = new Members(channels, false);
    prefix = options.prefix();
    calls =
        new Calls(
            "etcd:", members, new Login(members, Credentials.none(), TIMEOUT), ticker, TIMEOUT);
  }

  /** On the caller's own connections, one for each member. */
  public static EtcdFence over(List<? extends Channel> members, EtcdOptions options) {
    return new EtcdFence(members, options);
  }

  @Override
  public void enter(Proof proof) {
    Compare later =
        Compare.newBuilder()
            .setKey(key(proof))
            .setTarget(Compare.CompareTarget.VALUE)
            .setResult(Compare.CompareResult.GREATER)
            .setValue(value(proof))
            .build();
    TxnRequest.Builder txn =
        TxnRequest.newBuilder().addCompare(later).addSuccess(Ops.get(key(proof)));
    if (proof.mode() == Mode.EXCLUSIVE) {
      txn.addFailure(Ops.put(key(proof), value(proof), 0));
    }
    TxnResponse done = answer(proof, txn.build());
    if (done.getSucceeded()) {
      String current = done.getResponses(0).getResponseRange().getKvs(0).getValue().toStringUtf8();
      throw new StaleTokenException(proof.lock(), proof.token(), Long.parseLong(current));
    }
  }

  @Override
  public void check(Proof proof) {
    enter(proof);
  }

  /** The key that the caller's own transactions compare. */
  public ByteString key(Proof proof) {
    return ByteString.copyFromUtf8(prefix + FENCE + proof.lock());
  }

  /**
   * The value that the key has as long as nobody has entered later.
   *
   * @throws IllegalArgumentException for a permit of a semaphore: permits have no order
   */
  public ByteString value(Proof proof) {
    if (proof.mode() == Mode.PERMIT) {
      throw new IllegalArgumentException(
          "permits of '" + proof.lock() + "' have no order and cannot be fenced; verify the proof");
    }
    return ByteString.copyFromUtf8(String.format(Locale.ROOT, "%019d", proof.token()));
  }

  @Override
  public void close() {
    ticker.close();
  }

  private TxnResponse answer(Proof proof, TxnRequest txn) {
    try {
      return calls.txn("check", proof.lock(), txn, calls.deadline()).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException cause ? cause : e;
    }
  }
}
