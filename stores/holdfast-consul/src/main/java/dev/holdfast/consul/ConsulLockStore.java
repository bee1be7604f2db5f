package dev.holdfast.consul;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Locks in Consul.
 *
 * <p>Taking a free lock is one round trip once there is a session, releasing it another. The queue
 * is in the order of Consul's own indexes, and a token is the index at which the claim came. All
 * claims of one ttl share one session.
 *
 * <p>Promises one holder at a time as long as Consul keeps its own promises, whichever servers
 * fail. A dead holder is replaced late: Consul keeps a session for twice its ttl, and a new leader
 * keeps each session that it finds for that long again.
 *
 * <p><b>Threads.</b> Safe for any threads; none waits here for the server but the one that opens or
 * closes the store. Stages complete on threads of the HTTP client or of the ticker.
 */
final class ConsulLockStore implements LockStore {

  /** How long a cluster with Consul's default settings may take to replace its leader. */
  private static final Duration ELECTION = Duration.ofSeconds(30);

  private final String url;
  private final Traits traits;
  private final Calls calls;
  private final Members members;
  private final Hints hints;
  private final Vigil vigil;
  private final Observers observers = new Observers();
  private final Sessions sessions;
  private final Roll roll;
  private final Joining joining;
  private final Refreshing refreshing;
  private final Leaving leaving;
  private final Reading reading;
  private final Diagnoses diagnoses;
  private final AtomicBoolean closed = new AtomicBoolean();

  ConsulLockStore(ConsulAddress address, StoreSettings settings) {
    url = address.toString();
    traits = traits(address.minTtl());
    Ticker ticker = settings.ticker();
    Duration timeout = settings.operationTimeout();
    Keys keys = new Keys(address.prefix());
    Transport transport =
        new Transport(address.tls(), address.headers(), address.datacenter(), ticker);
    members = new Members(address.agents());
    calls = new Calls(url, members, transport, ticker, timeout);
    roll = new Roll(ticker, timeout);
    hints =
        new Hints(
            keys,
            observers,
            new Queries(members, transport, ticker, Hints.WAITING),
            new Queries(members, transport, ticker, Hints.HELD));
    vigil =
        new Vigil(
            new Queries(members, transport, ticker, Vigil.SESSIONS),
            ttl -> roll.held(ttl).forEach(observers::wake));
    sessions = new Sessions(calls, keys, vigil, ticker);
    Audit audit = new Audit(calls, keys, sessions, roll, ticker);
    Strays strays = new Strays(calls, keys, ticker);
    Settling settling = new Settling(calls, keys, sessions, roll, strays, hints, audit);
    joining = new Joining(calls, keys, sessions, roll, settling, strays, ticker);
    refreshing = new Refreshing(calls, keys, roll, settling);
    leaving = new Leaving(calls, keys, sessions, roll, hints, joining);
    reading = new Reading(calls, keys, ticker);
    diagnoses = new Diagnoses(members, transport, keys, timeout, address.minTtl());
  }

  static Traits traits(Duration minTtl) {
    return Traits.builder()
        .fair()
        .pushes()
        .ttl(minTtl, Sessions.LONGEST)
        .ttlResolution(Duration.ofSeconds(1))
        .expiryLag(expiryLag(minTtl))
        .allKinds()
        .detachable()
        .durable()
        .consistency(Consistency.LINEARIZABLE)
        .spansProcesses()
        .sharedTtl()
        .build();
  }

  /**
   * For the ttl that clients have by default, and shorter ones: a session that was about to end,
   * after two ttls, when the leader changed. Each further change adds two ttls.
   */
  private static Duration expiryLag(Duration minTtl) {
    Duration usual = LockOptions.defaults().ttl();
    Duration ttl = minTtl.compareTo(usual) > 0 ? minTtl : usual;
    return ttl.multipliedBy(3).plus(ELECTION);
  }

  /** Fails, and closes itself, unless Consul answers, and lets us read and write. */
  void check() {
    try {
      reading.checkRights("first request", calls.deadline()).join();
    } catch (CompletionException e) {
      close();
      throw e.getCause() instanceof StoreException cause ? cause : e;
    }
  }

  @Override
  public Traits traits() {
    return traits;
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
    return diagnoses.make();
  }

  /** Ends the sessions, too, unless a claim that was not left is on one of them. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      observers.clear();
      hints.close();
      vigil.close();
      if (roll.isEmpty()) {
        sessions.destroy();
      }
      calls.close();
    }
  }

  @Override
  public String toString() {
    return url;
  }
}
