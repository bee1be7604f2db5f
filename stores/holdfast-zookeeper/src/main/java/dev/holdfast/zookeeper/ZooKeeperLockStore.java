package dev.holdfast.zookeeper;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/**
 * Locks in ZooKeeper.
 *
 * <p>Taking a lock that nobody wants is one round trip of waiting, releasing it another. Tokens are
 * made of the transaction that created the claim. Whoever's turn has come is told by a watch on
 * what kept it out.
 *
 * <p>A claim ends with the session of its client at the latest, so no ttl is longer than the
 * session's time-out; a process that dies is replaced after the session's time-out, however short
 * its ttl is. Closing the store ends its claims.
 *
 * <p><b>Threads.</b> Safe for any threads; none ever waits here for the server. Stages complete on
 * ZooKeeper's event thread or the ticker's.
 */
public final class ZooKeeperLockStore implements LockStore {

  private static final Duration SHORTEST_TTL = Duration.ofMillis(100);
  private static final Duration OPENING = Duration.ofSeconds(5);

  /** The callers' clients that carry the locks of a store. */
  private static final Set<ZooKeeper> IN_USE = ConcurrentHashMap.newKeySet();

  private final Link link;
  private final Traits traits;
  private final Observers observers;
  private final Joining joining;
  private final Renewal renewal;
  private final Leaving leaving;
  private final Looking looking;
  private final Doctor doctor;
  private final Runnable afterwards;
  private final AtomicBoolean closed = new AtomicBoolean();

  private ZooKeeperLockStore(
      Link link, Origin origin, Observers observers, Ticker ticker, Runnable afterwards) {
    this.afterwards = afterwards;
    this.link = link;
    this.observers = observers;
    this.traits = traits(link.session("").timeout());
    this.renewal = new Renewal(link, ticker);
    this.joining = new Joining(link, renewal, ticker);
    this.leaving = new Leaving(link);
    this.looking = new Looking(link);
    this.doctor = new Doctor(link, origin);
  }

  static ZooKeeperLockStore open(Origin origin, StoreSettings settings, Runnable afterwards) {
    Observers observers = new Observers();
    Link link = Link.open(origin, observers, settings);
    return new ZooKeeperLockStore(link, origin, observers, settings.ticker(), afterwards);
  }

  /**
   * On a client of the caller's, whose session then carries the claims; it stays the caller's to
   * close. When that session ends, all claims have ended, and this store answers nothing any more:
   * open another on the next client.
   *
   * <p>One store for each client, because the nodes of a session are the store's: it deletes those
   * that it does not know. Share the store, or the {@code Holdfast} on it.
   *
   * @param client connected or connecting; its default watcher is left alone
   * @param acl of all nodes that are made, for example {@code ZooDefs.Ids.CREATOR_ALL_ACL}
   * @throws StoreException if it does not connect within 5 s, or may not do what is needed
   * @throws IllegalStateException if another store on this client is open
   */
  public static ZooKeeperLockStore over(ZooKeeper client, List<ACL> acl) {
    if (!IN_USE.add(client)) {
      throw new IllegalStateException(
          "this client carries the locks of another store: share that store, or close it first");
    }
    Ticker ticker = Ticker.system("holdfast-zookeeper");
    Runnable afterwards =
        () -> {
          ticker.close();
          IN_USE.remove(client);
        };
    try {
      return open(Origin.of(client, acl), new StoreSettings(ticker, OPENING), afterwards);
    } catch (RuntimeException e) {
      afterwards.run();
      throw e;
    }
  }

  /** With sessions of this time-out. */
  static Traits traits(Duration sessionTimeout) {
    return Traits.builder()
        .fair()
        .pushes()
        .ttl(SHORTEST_TTL, Session.longestTtl(sessionTimeout))
        // The session outlives a short ttl; its end is rounded up to a tick, half of it at most.
        .expiryLag(sessionTimeout.multipliedBy(3).dividedBy(2))
        .allKinds()
        .consistency(Consistency.LINEARIZABLE)
        .spansProcesses()
        .sharedTtl()
        .build();
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return answer("join", claim.lock(), () -> joining.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return answer("renewal", "", () -> renewal.refresh(claims));
  }

  /** One write renews all. */
  @Override
  public int refreshBatch() {
    return Integer.MAX_VALUE;
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return answer("release", "", () -> leaving.leave(departures, deadline));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return answer("eviction", lock, () -> leaving.evict(lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return answer("removal", lock, () -> leaving.discard(lock));
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return observers.add(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return answer("inspection", lock, () -> looking.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return answer("listing", prefix, () -> looking.list(prefix, limit));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return answer("diagnosis", "", doctor::diagnose);
  }

  @Override
  public Fence fence() {
    return link.session("").zk().fence();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      observers.clear();
      link.close();
      afterwards.run();
    }
  }

  @Override
  public String toString() {
    return link.toString();
  }

  /** A failure is unknown, except where the caller asked for what cannot be. */
  private <T> CompletionStage<T> answer(
      String verb, String lock, Supplier<CompletableFuture<T>> call) {
    try {
      CompletableFuture<T> answer = new CompletableFuture<>();
      call.get()
          .whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  answer.complete(value);
                } else if (Zk.cause(failure) instanceof IllegalArgumentException refused) {
                  answer.completeExceptionally(refused);
                } else {
                  answer.completeExceptionally(link.unknown(verb, lock, failure));
                }
              });
      return answer;
    } catch (IllegalArgumentException | StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
