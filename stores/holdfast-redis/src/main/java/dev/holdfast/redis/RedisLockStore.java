package dev.holdfast.redis;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.StoreUrl;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Locks in Redis, Valkey or Tair.
 *
 * <p>Taking a lock is one round trip, releasing it another. All expiry is by the server's clock.
 * Whoever's turn has come is told by a message to its client alone.
 *
 * <p>Does not promise that a fail-over keeps what was granted: Redis acknowledges a write before
 * its replicas have it. A fence refuses the old holder then.
 *
 * <p><b>Threads.</b> Safe for any threads; none ever waits here for the server. Stages complete on
 * threads of the Redis client or of the ticker.
 */
public final class RedisLockStore implements LockStore {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  static final Traits TRAITS =
      Traits.builder()
          .floors(ClaimArgs.MAX_FLOOR)
          .fair()
          .pushes()
          .ttl(Duration.ofMillis(10), Duration.ofDays(365))
          .ttlResolution(Duration.ofNanos(1_000))
          .allKinds()
          .lingers()
          .detachable()
          .consistency(Consistency.BEST_EFFORT)
          .spansProcesses()
          .build();

  private final String url;
  private final String channel;
  private final Observers observers;
  private final Connections connections;
  private final Deaths deaths;
  private final Verbs verbs;
  private final Listing listing;
  private final Fence fence;
  private final AtomicBoolean closed = new AtomicBoolean();

  private RedisLockStore(
      String url,
      String channel,
      Keys keys,
      Observers observers,
      Connections connections,
      StoreSettings settings) {
    this.url = url;
    this.channel = channel;
    this.observers = observers;
    this.connections = connections;
    deaths = new Deaths(settings.ticker(), observers::wake);
    verbs = new Verbs(url, connections, keys);
    listing = new Listing(connections.link(), keys, verbs, settings);
    fence =
        new RedisFence(connections.link().commands(), settings::operationTimeout, keys.prefix());
  }

  /**
   * On connections that the caller's client makes, with an operation time-out of 5 s. The client
   * stays the caller's to shut down, and its options apply.
   *
   * @param uri of the server, or of the Sentinels and their master
   * @throws StoreException if it cannot be reached or used
   */
  public static RedisLockStore over(RedisClient client, RedisURI uri, RedisOptions options) {
    return owned(
        afterwards -> new OneServer(client, uri, afterwards),
        StoreUrl.redact(uri.toString()),
        options);
  }

  /** As {@link #over(RedisClient, RedisURI, RedisOptions)}, for a Cluster. */
  public static RedisLockStore over(RedisClusterClient client, RedisOptions options) {
    if (options.waitForReplicas() > 0) {
      throw new IllegalArgumentException("waitForReplicas does not go with a Cluster");
    }
    return owned(afterwards -> new Cluster(client, afterwards), "redis-cluster:", options);
  }

  private static RedisLockStore owned(
      Function<Runnable, Servers> servers, String url, RedisOptions options) {
    Ticker ticker = Ticker.system("holdfast-redis-timer");
    StoreSettings settings = new StoreSettings(ticker, DEFAULT_TIMEOUT);
    return open(url, servers.apply(ticker::close), options, settings);
  }

  /** Connects; closes the servers if that fails. */
  static RedisLockStore open(
      String url, Servers servers, RedisOptions options, StoreSettings settings) {
    Keys keys = new Keys(options.prefix());
    String channel = keys.channel(UUID.randomUUID().toString());
    Observers observers = new Observers();
    Connections connections =
        new Opening(url, options, settings).connect(servers, channel, new Wakes(keys, observers));
    return new RedisLockStore(url, channel, keys, observers, connections, settings);
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    List<String> arguments = List.of(claim.id(), ClaimArgs.text(claim, channel), wait ? "1" : "0");
    return verbs
        .one(Script.JOIN, "join", claim.lock(), arguments, deadline)
        .thenApply(
            reply -> {
              JoinAnswer answer = reply.joined();
              track(claim, reply, answer instanceof Queued);
              return answer;
            });
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    List<Verbs.Item> items = new ArrayList<>(claims.size());
    for (Claim claim : claims) {
      List<String> arguments = List.of(claim.id(), ClaimArgs.text(claim, channel));
      items.add(new Verbs.Item(claim, arguments));
    }
    return verbs
        .many(Script.REFRESH, "renewal", items, deadline)
        .thenApply(
            outcomes -> {
              Map<Claim, Standing> standings = new HashMap<>();
              outcomes.forEach((claim, outcome) -> standings.put(claim, standing(claim, outcome)));
              return standings;
            });
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    List<Verbs.Item> items = new ArrayList<>(departures.size());
    for (Departure departure : departures) {
      deaths.ended(departure.claim());
      items.add(new Verbs.Item(departure.claim(), arguments(departure)));
    }
    return verbs
        .many(Script.LEAVE, "release", items, deadline)
        .thenApply(
            outcomes -> {
              Map<Claim, Left> left = new HashMap<>();
              outcomes.forEach(
                  (claim, outcome) ->
                      left.put(claim, outcome.map(Reply::left, failure -> Left.UNKNOWN)));
              return left;
            });
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return verbs
        .one(Script.EVICT, "eviction", lock, List.of(Long.toString(token)))
        .thenApply(reply -> reply.left() == Left.LEFT);
  }

  /** The client alone can tell whether all can be read; the script, that nothing has changed. */
  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return verbs
        .one(Script.DISCARD, "removal", lock, List.of(""))
        .thenCompose(
            stored ->
                inspect(lock)
                    .handle((info, failure) -> failure)
                    .thenCompose(failure -> discard(lock, stored.stored(), failure)));
  }

  private CompletionStage<Boolean> discard(
      String lock, String stored, @Nullable Throwable failure) {
    if (failure == null) {
      return CompletableFuture.completedFuture(false);
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof UnreadableRecordException
        ? verbs
            .one(Script.DISCARD, "removal", lock, List.of(stored))
            .thenApply(reply -> reply.left() == Left.LEFT)
        : CompletableFuture.failedFuture(cause == null ? failure : cause);
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return observers.add(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return verbs
        .one(Script.INSPECT, "inspection", lock, List.of())
        .thenApply(reply -> verbs.info(lock, reply));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return listing.list(prefix, limit);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return Diagnoses.of(connections.link(), connections.servers());
  }

  @Override
  public Fence fence() {
    return fence;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      deaths.close();
      observers.clear();
      connections.close();
    }
  }

  @Override
  public String toString() {
    return url;
  }

  private List<String> arguments(Departure departure) {
    Claim claim = departure.claim();
    if (departure.tombstone()) {
      String times = ClaimArgs.micros(departure.linger()) + " " + ClaimArgs.micros(claim.ttl());
      return List.of(claim.id(), times + ' ' + ClaimArgs.text(claim, channel));
    }
    return List.of(claim.id(), ClaimArgs.micros(departure.linger()) + " 0");
  }

  private Standing standing(Claim claim, Outcome outcome) {
    return outcome.map(
        reply -> {
          Standing standing = reply.standing();
          track(claim, reply, standing instanceof Queued);
          return standing;
        },
        Unknown::new);
  }

  private void track(Claim claim, Reply reply, boolean waits) {
    if (waits) {
      deaths.waits(claim, reply.watchedLives());
    } else {
      deaths.ended(claim);
    }
  }
}
