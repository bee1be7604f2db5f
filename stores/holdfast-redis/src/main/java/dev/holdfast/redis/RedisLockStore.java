package dev.holdfast.redis;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.Traits;
import dev.holdfast.redis.client.ClusterServers;
import dev.holdfast.redis.client.ConnectionSource;
import dev.holdfast.redis.client.SingleServer;
import dev.holdfast.redis.inspect.Reader;
import dev.holdfast.redis.inspect.StoreDiagnosis;
import dev.holdfast.redis.protocol.ClaimRegistry;
import dev.holdfast.redis.protocol.LockScripts;
import dev.holdfast.redis.protocol.StoreConnections;
import dev.holdfast.redis.protocol.Wakeups;
import dev.holdfast.redis.script.ClaimRecord;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.BaseLockStore;
import dev.holdfast.spi.support.PerClaim;
import dev.holdfast.spi.support.StoreUrl;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Locks in Redis, Valkey or Tair.
 *
 * <p>An acquire is one round trip, a release another. All expiry is by the server's clock. A
 * message to its client alone wakes the claim that is next in line.
 *
 * <p>Does not promise that a fail-over keeps what was granted: Redis acknowledges a write before
 * its replicas have it. A fence then refuses the old holder.
 *
 * <p>Thread-safe; never blocks, except to connect and to close. Stages complete on threads of the
 * Redis client or of the ticker.
 */
public final class RedisLockStore extends BaseLockStore {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  static final Traits TRAITS =
      Traits.builder()
          .floors(ClaimRecord.MAX_FLOOR)
          .fair()
          .pushes()
          .tellsHolders()
          .ttl(Duration.ofMillis(10), Duration.ofDays(365))
          .ttlResolution(Duration.ofNanos(1_000))
          .allKinds()
          .lingers()
          .detachable()
          .consistency(Consistency.BEST_EFFORT)
          .spansProcesses()
          .build();

  private final String channel;
  private final StoreConnections connections;
  private final ClaimRegistry claims;
  private final LockScripts scripts;
  private final Reader reader;
  private final Fence fence;

  /** Connects; closes the source if that fails. */
  RedisLockStore(
      String url, ConnectionSource source, RedisOptions options, StoreSettings settings) {
    super(url, TRAITS, new Observers());
    Keys keys = new Keys(options.prefix());
    channel = keys.channel(UUID.randomUUID().toString());
    connections =
        StoreConnections.open(
            url,
            source,
            options.waitForReplicas(),
            channel,
            new Wakeups(keys, observers()),
            settings);
    claims = new ClaimRegistry(settings.ticker(), observers()::wake);
    scripts = new LockScripts(url, connections, keys);
    reader = new Reader(connections.commands(), keys, scripts);
    fence = new RedisFence(connections.commands().commands(), settings::operationTimeout, keys);
  }

  /**
   * Opens a store on connections that the caller's client makes, with an operation time-out of 5 s.
   * The client stays the caller's to shut down, and its options apply.
   *
   * @param uri of the server, or of the Sentinels and their master
   * @throws dev.holdfast.StoreException if the server cannot be reached or used
   */
  public static RedisLockStore over(RedisClient client, RedisURI uri, RedisOptions options) {
    return open(
        afterwards -> new SingleServer(client, uri, afterwards),
        StoreUrl.redact(uri.toString()),
        options);
  }

  /** As {@link #over(RedisClient, RedisURI, RedisOptions)}, for a Cluster. */
  public static RedisLockStore over(RedisClusterClient client, RedisOptions options) {
    if (options.waitForReplicas() > 0) {
      throw new IllegalArgumentException("waitForReplicas is not supported by a Cluster");
    }
    return open(afterwards -> new ClusterServers(client, afterwards), "redis-cluster:", options);
  }

  private static RedisLockStore open(
      Function<Runnable, ConnectionSource> source, String url, RedisOptions options) {
    Ticker ticker = Ticker.system("holdfast-redis-timer");
    return new RedisLockStore(
        url, source.apply(ticker::close), options, new StoreSettings(ticker, DEFAULT_TIMEOUT));
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    List<String> arguments = List.of(claim.id(), ClaimRecord.of(claim, channel), wait ? "1" : "0");
    return scripts.one(
        Script.JOIN, claim.lock(), arguments, deadline, reply -> joined(claim, reply));
  }

  private JoinAnswer joined(Claim claim, Reply reply) {
    JoinAnswer answer = reply.joined();
    claims.track(claim, answer instanceof Queued, reply);
    return answer;
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> refreshed, Deadline deadline) {
    Map<Claim, CompletableFuture<Reply>> replies =
        scripts.each(
            Script.REFRESH,
            refreshed,
            Claim::lock,
            claim -> List.of(claim.id(), ClaimRecord.of(claim, channel)),
            deadline);
    return PerClaim.STANDINGS.each(
        refreshed,
        claim -> requireNonNull(replies.get(claim)).thenApply(reply -> standing(claim, reply)));
  }

  private Standing standing(Claim claim, Reply reply) {
    Standing standing = scripts.checked(Script.REFRESH, claim.lock(), reply).standing();
    claims.track(claim, standing instanceof Queued, reply);
    return standing;
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    departures.forEach(departure -> claims.remove(departure.claim()));
    Map<Departure, CompletableFuture<Reply>> replies =
        scripts.each(
            Script.LEAVE,
            departures,
            departure -> departure.claim().lock(),
            this::leaving,
            deadline);
    return PerClaim.DEPARTURES.each(
        departures,
        departure ->
            requireNonNull(replies.get(departure))
                .thenApply(
                    reply ->
                        scripts.checked(Script.LEAVE, departure.claim().lock(), reply).left()));
  }

  private List<String> leaving(Departure departure) {
    Claim claim = departure.claim();
    String refused =
        departure.tombstone()
            ? ClaimRecord.micros(claim.ttl()) + " " + ClaimRecord.of(claim, channel)
            : "0";
    return List.of(claim.id(), ClaimRecord.micros(departure.linger()) + " " + refused);
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return scripts
        .one(Script.EVICT, lock, Long.toString(token))
        .thenApply(reply -> reply.left() == Left.LEFT);
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return reader.discard(lock);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return reader.inspect(lock);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return reader.list(prefix, limit);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return StoreDiagnosis.of(connections.commands(), connections.source().encryption());
  }

  @Override
  public Fence fence() {
    return fence;
  }

  @Override
  protected void shutDown() {
    claims.close();
    connections.close();
  }
}
