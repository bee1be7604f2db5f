package dev.holdfast.etcd;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Locks in etcd v3.
 *
 * <p>Taking a free lock is one round trip, releasing it another. The queue is in the order of
 * etcd's own revisions, and a token is the revision at which the claim came. All claims of one ttl
 * share one lease, until etcd changes leaders; ttls are whole seconds.
 *
 * <p>Promises one holder at a time as long as etcd keeps its own promises, whichever members fail.
 * Does not promise that a dead holder is replaced in time while etcd changes leaders: that starts
 * the clocks of all leases anew.
 *
 * <p><b>Threads.</b> Safe for any threads; none ever waits here for the server. Stages complete on
 * threads of gRPC or of the ticker.
 */
public final class EtcdLockStore implements LockStore {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  // etcd grants no lease shorter than one and a half election time-outs, which is 2 s in whole
  // seconds, and looks for expired ones twice a second. Ours last for a second more than the ttl.
  static final Traits TRAITS =
      Traits.builder()
          .fair()
          .pushes()
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

  private final String url;
  private final Members members;
  private final Login login;
  private final Watches watches;
  private final Observers observers = new Observers();
  private final Calls calls;
  private final Joining joining;
  private final Refreshing refreshing;
  private final Leaving leaving;
  private final Reading reading;
  private final RangeRequest probe;
  private final Fence fence;
  private final Ticker ticker;
  private final Runnable afterwards;
  private final AtomicBoolean closed = new AtomicBoolean();

  EtcdLockStore(
      String url,
      Members members,
      EtcdOptions options,
      StoreSettings settings,
      Runnable afterwards) {
    this.url = url;
    this.members = members;
    this.afterwards = afterwards;
    ticker = settings.ticker();
    Duration timeout = settings.operationTimeout();
    Keys keys = new Keys(options.prefix());
    probe = RangeRequest.newBuilder().setKey(keys.first("holdfast")).setCountOnly(true).build();
    login = new Login(members, settings.credentials(), timeout);
    calls = new Calls(url, members, login, ticker, timeout);
    fence = new EtcdFence(calls, options.prefix(), () -> {});
    watches = new Watches(members, login, ticker);
    // By another thread: gRPC may tell of a failure from within a request.
    members.onChange(() -> ticker.schedule(Duration.ZERO, watches::reopen));
    Hints hints = new Hints(keys, watches, observers);
    Grants grants = new Grants(watches, observers, ticker);
    Roll roll = new Roll(ticker, timeout);
    Leases leases = new Leases(calls, keys, roll, ticker);
    Settling settling = new Settling(calls, keys, leases, roll, hints, grants);
    Succession succession = new Succession(calls, keys, leases, roll, settling);
    refreshing = new Refreshing(calls, keys, leases, roll, hints, settling, succession);
    Graveyard graveyard = new Graveyard(calls, ticker);
    leaving = new Leaving(calls, keys, leases, graveyard, roll, hints, grants);
    Seats seats = new Seats(keys);
    joining = new Joining(calls, keys, seats, leases, roll, settling, leaving::bury, ticker);
    reading = new Reading(calls, keys, ticker);
  }

  /**
   * On the caller's own connections, one for each member, with an operation time-out of 5 s. They
   * stay the caller's to shut down; what they need to log in, they bring.
   *
   * @throws StoreException if no member can be used
   */
  public static EtcdLockStore over(List<? extends Channel> members, EtcdOptions options) {
    Ticker ticker = Ticker.system("holdfast-etcd-timer");
    StoreSettings settings = new StoreSettings(ticker, DEFAULT_TIMEOUT, Credentials.none());
    return new EtcdLockStore("etcd:", new Members(members, false), options, settings, ticker::close)
        .checked();
  }

  /** Returns itself once etcd has answered; closes itself if it does not. */
  EtcdLockStore checked() {
    try {
      calls.range("first request", "", probe, calls.deadline()).join();
      return this;
    } catch (CompletionException e) {
      close();
      throw new StoreException(
          "", "Cannot use " + url + ": " + Failures.reason(e), Failures.cause(e));
    }
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return joining.join(claim, wait, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return refreshing.refresh(claims, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return leaving.leave(departures, deadline);
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return reading.evict(lock, token);
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return reading.discard(lock);
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return observers.add(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return reading.inspect(lock);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return reading.list(prefix, limit);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return new Diagnoses(url, calls, members, login, ticker, probe).diagnose();
  }

  @Override
  public Fence fence() {
    return fence;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      observers.clear();
      watches.close();
      members.close();
      afterwards.run();
    }
  }

  @Override
  public String toString() {
    return url;
  }
}
