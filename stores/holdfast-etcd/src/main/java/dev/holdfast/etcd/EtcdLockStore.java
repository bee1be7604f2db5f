package dev.holdfast.etcd;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.etcd.EtcdLeases.EtcdLease;
import dev.holdfast.leased.LeasedLockStore;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Locks in etcd v3.
 *
 * <p>Acquiring a free lock is one round trip, releasing it another. The queue is in the order of
 * etcd's own revisions, and a token is the revision at which the claim joined. All claims of one
 * ttl share one lease, until etcd changes leaders; ttls are whole seconds.
 *
 * <p>Promises one holder at a time as long as etcd keeps its own promises, whichever members fail.
 * Does not promise that a dead holder is replaced in time while etcd changes leaders: that restarts
 * the clocks of all leases.
 *
 * <p>Thread-safe; no thread waits here for the server except one that opens the store. Stages
 * complete on threads of gRPC or of the ticker.
 */
public final class EtcdLockStore extends LeasedLockStore<EtcdLease> {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  // etcd grants no lease shorter than one and a half election time-outs, which is 2 s in whole
  // seconds, and looks for expired ones twice a second. Ours last for a second more than the ttl.
  static final Traits TRAITS =
      Traits.builder()
          .fair()
          .pushes()
          .tellsHolders()
          .ttl(Duration.ofSeconds(2), Duration.ofDays(365))
          .ttlResolution(Duration.ofSeconds(1))
          .expiryLag(Duration.ofSeconds(3))
          .allKinds()
          .lingers()
          .detachable()
          .durable()
          .consistency(Consistency.LINEARIZABLE)
          .spansProcesses()
          .sharedTtl()
          .build();

  private final Calls calls;
  private final EtcdKeyCalls keyCalls;
  private final JoinProtocol joins;
  private final LeaveProtocol leaves;
  private final StoreDiagnosis diagnosis;
  private final Runnable afterwards;

  /**
   * @param afterwards runs once the store is closed
   */
  EtcdLockStore(
      String url,
      Channels members,
      EtcdOptions options,
      StoreSettings settings,
      Runnable afterwards) {
    this(new EtcdKeyCalls(new Calls(url, members, settings), options.prefix()), afterwards);
  }

  private EtcdLockStore(EtcdKeyCalls keyCalls, Runnable afterwards) {
    super(
        keyCalls.calls.url,
        TRAITS,
        keyCalls,
        keyCalls.format,
        keyCalls.watches,
        keyCalls.leases,
        keyCalls.registry,
        keyCalls.calls.ticker);
    this.calls = keyCalls.calls;
    this.keyCalls = keyCalls;
    this.afterwards = afterwards;
    // On another thread: gRPC may report a failure from within a request.
    calls.members.onChange(() -> calls.ticker.schedule(Duration.ZERO, keyCalls.watches::reopen));
    leaves = new LeaveProtocol(keyCalls, standings());
    joins = new JoinProtocol(keyCalls, holders(), standings(), leaves);
    diagnosis = new StoreDiagnosis(calls, keyCalls.keys);
  }

  /**
   * On the caller's own connections, one for each member, with an operation time-out of 5 s. They
   * must be logged in already, and the caller shuts them down.
   *
   * @throws StoreException if no member can be used
   */
  public static EtcdLockStore over(List<? extends Channel> members, EtcdOptions options) {
    Ticker ticker = Ticker.system("holdfast-etcd-timer");
    StoreSettings settings = new StoreSettings(ticker, DEFAULT_TIMEOUT);
    return new EtcdLockStore(
            "etcd:", new Channels(members, false), options, settings, ticker::close)
        .checked();
  }

  /** Returns itself once etcd has answered; closes itself if it does not. */
  EtcdLockStore checked() {
    try {
      Failures.join(diagnosis.probe("first request", calls.deadline()));
      return this;
    } catch (RuntimeException e) {
      close();
      throw new StoreException("", "Cannot use " + calls.url + ": " + Calls.reason(e), e);
    }
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return joins.join(claim, wait, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return leaves.leave(departures, deadline);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return diagnosis.diagnose();
  }

  @Override
  public Fence fence() {
    return new EtcdFence(calls, keyCalls.keys.prefix(), () -> {});
  }

  @Override
  protected void shutDown() {
    keyCalls.watches.close();
    calls.members.close();
    afterwards.run();
  }
}
