package dev.holdfast.zookeeper;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.BaseLockStore;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/**
 * Locks in ZooKeeper.
 *
 * <p>Acquiring a free lock takes one round trip, releasing it another. A token is derived from the
 * transaction that created the claim. A waiting claim is woken by a watch on the claim that blocks
 * it.
 *
 * <p>A claim ends with its client's session at the latest, so a ttl cannot exceed the session
 * time-out. A process that dies is replaced after the session time-out, however short its ttl.
 * Closing the store ends its claims.
 *
 * <p>Thread-safe; no call blocks on the server. Stages complete on ZooKeeper's event thread or the
 * ticker's.
 */
public final class ZooKeeperLockStore extends BaseLockStore {

  private static final Duration SHORTEST_TTL = Duration.ofMillis(100);
  private static final Duration OPENING_TIMEOUT = Duration.ofSeconds(5);

  /** The callers' clients that carry the locks of a store. */
  private static final Set<ZooKeeper> IN_USE = ConcurrentHashMap.newKeySet();

  private final StoreConnection connection;
  private final JoinProtocol joins;
  private final Renewal renewal;
  private final LeaveProtocol leaves;
  private final Reader reader;
  private final StoreDiagnosis diagnosis;
  private final Runnable onClose;

  ZooKeeperLockStore(StoreConnection connection, Ticker ticker, Runnable onClose) {
    super(connection.toString(), traits(connection.session("").timeout()), connection.observers);
    this.connection = connection;
    this.onClose = onClose;
    this.renewal = new Renewal(connection, ticker);
    this.joins = new JoinProtocol(connection, renewal, ticker);
    this.leaves = new LeaveProtocol(connection);
    this.reader = new Reader(connection);
    this.diagnosis = new StoreDiagnosis(connection, connection.source);
  }

  /**
   * Opens a store on the caller's client, whose session then carries the claims. The caller closes
   * the client. When its session ends, all claims have ended and every call of this store fails:
   * open another on a new client.
   *
   * <p>A client carries one store only, because the store deletes nodes of its session that it does
   * not know. Share the store, or the {@code Holdfast} on it.
   *
   * @param client connected or connecting; its default watcher is left alone
   * @param acl of all nodes that are created, for example {@code ZooDefs.Ids.CREATOR_ALL_ACL}
   * @throws StoreException if it does not connect within 5 s, or lacks permissions
   * @throws IllegalStateException if another store on this client is open
   */
  public static ZooKeeperLockStore over(ZooKeeper client, List<ACL> acl) {
    if (!IN_USE.add(client)) {
      throw new IllegalStateException(
          "this client carries the locks of another store: share that store, or close it first");
    }
    Ticker ticker = Ticker.system("holdfast-zookeeper");
    Runnable onClose =
        () -> {
          ticker.close();
          IN_USE.remove(client);
        };
    try {
      StoreSettings settings = new StoreSettings(ticker, OPENING_TIMEOUT);
      return new ZooKeeperLockStore(
          StoreConnection.open(SessionSource.of(client, acl), settings), ticker, onClose);
    } catch (RuntimeException e) {
      onClose.run();
      throw e;
    }
  }

  /** {@return the traits of a store whose sessions have this time-out} */
  static Traits traits(Duration sessionTimeout) {
    return Traits.builder()
        .fair()
        .pushes()
        .tellsHolders()
        .ttl(SHORTEST_TTL, Session.longestTtl(sessionTimeout))
        // A session outlives a short ttl; its end is rounded up to a tick, at most half of it.
        .expiryLag(sessionTimeout.multipliedBy(3).dividedBy(2))
        .allKinds()
        .consistency(Consistency.LINEARIZABLE)
        .spansProcesses()
        .sharedTtl()
        .build();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return answer("join", claim.lock(), () -> joins.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return answer("refresh", "", () -> renewal.refresh(claims));
  }

  /** Unlimited: one write renews all claims. */
  @Override
  public int refreshBatch() {
    return Integer.MAX_VALUE;
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return answer("leave", "", () -> leaves.leave(departures, deadline));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return answer("eviction", lock, () -> leaves.evict(lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return answer("discard", lock, () -> leaves.discard(lock));
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return answer("inspection", lock, () -> reader.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return answer("listing", prefix, () -> reader.list(prefix, limit));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return answer("diagnosis", "", diagnosis::diagnose);
  }

  @Override
  public Fence fence() {
    return ZooKeeperFence.over(connection.session("").zk.client(), connection.source.acl());
  }

  @Override
  protected void shutDown() {
    connection.close();
    onClose.run();
  }

  /** A failure means unknown, unless the caller has asked for something impossible. */
  private <T> CompletionStage<T> answer(
      String verb, String lock, Supplier<CompletableFuture<T>> request) {
    CompletableFuture<T> answer;
    try {
      answer = request.get();
    } catch (IllegalArgumentException | StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
    return answer.exceptionallyCompose(
        failure ->
            CompletableFuture.failedFuture(
                Failures.unwrap(failure) instanceof IllegalArgumentException impossible
                    ? impossible
                    : connection.noAnswer(verb, lock, failure)));
  }
}
