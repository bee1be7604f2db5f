package dev.holdfast.jdbc;

import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.jdbc.connection.DatabasePool;
import dev.holdfast.jdbc.connection.RequestGroups;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.poll.Poller;
import dev.holdfast.jdbc.poll.PostgresListener;
import dev.holdfast.jdbc.queue.ClaimProtocol;
import dev.holdfast.jdbc.queue.FastPath;
import dev.holdfast.jdbc.queue.QueueReader;
import dev.holdfast.jdbc.queue.Reader;
import dev.holdfast.jdbc.queue.SlowPath;
import dev.holdfast.jdbc.queue.Sweeper;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks in the tables of a SQL database.
 *
 * <p>Taking an uncontended lock is one statement, renewing it another, releasing it a third. All
 * expiry is by the database's clock. Waiting clients are notified by the database where it can
 * (PostgreSQL); elsewhere each client polls, only while it has waiting claims.
 *
 * <p>Does not promise more than its database: what a restored backup has forgotten is forgotten
 * here too. It never takes part in a transaction of the caller.
 *
 * <p>Thread-safe. Callers never wait for the database: the work runs in the store's own daemon
 * threads, one for each connection it uses, and stages complete there.
 */
public final class JdbcLockStore implements LockStore {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  private final String url;
  private final Traits traits;
  private final SqlExecutor executor;
  private final Ticker ticker;
  private final RequestGroups groups;
  private final Observers observers = new Observers();
  private final SlowPath slow;
  private final ClaimProtocol paths;
  private final Reader listing;
  private final Poller poller;
  private final @Nullable PostgresListener listener;
  private final Sweeper sweeper;
  private final Runnable afterClose;

  JdbcLockStore(DatabaseAccess access, StoreSettings settings, Runnable afterClose) {
    url = access.url();
    traits = access.traits();
    this.afterClose = afterClose;
    Dialect dialect = access.dialect();
    String channel = access.notifications() == null ? null : newChannel();
    OwnerCodec owners = new OwnerCodec(channel);
    QueueReader reader = new QueueReader(dialect, owners);
    executor =
        new SqlExecutor(
            url, dialect, access.connections(), access.threads(), settings.operationTimeout());
    GroupPath group = dialect.groupPath(owners, access.asyncReleases());
    ticker = settings.ticker();
    groups = new RequestGroups(executor, ticker, group);
    slow = new SlowPath(reader, channel, this::promoted, this::behindLinger);
    paths =
        new ClaimProtocol(
            new FastPath(dialect, owners, reader, access.asyncReleases()),
            dialect.queuePath(owners),
            group,
            slow,
            this::promoted,
            settings.ticker());
    listing = new Reader(reader);
    poller = new Poller(settings.ticker(), executor, reader, slow, observers, this::isPushed);
    listener =
        access.notifications() == null || channel == null
            ? null
            : new PostgresListener(
                channel,
                access.notifications(),
                executor,
                settings.operationTimeout(),
                poller::heard,
                poller::lookAtAll);
    sweeper = new Sweeper(settings.ticker(), executor, slow, dialect);
  }

  /**
   * A store on the caller's connections, with the defaults of {@link JdbcOptions} but without
   * listening, which would keep a connection, and an operation time-out of 5 s.
   *
   * <p>Each operation takes one connection and returns it unchanged; the data source stays the
   * caller's to close. The store's own threads take the connections, so a data source that binds a
   * transaction to the caller's thread does no harm.
   *
   * @throws IllegalArgumentException if the database is not supported
   * @throws StoreException if it cannot be reached or used
   */
  public static JdbcLockStore over(DataSource dataSource) {
    return over(dataSource, JdbcOptions.defaults().listen(false));
  }

  /** As {@link #over(DataSource)}, with other options. */
  public static JdbcLockStore over(DataSource dataSource, JdbcOptions options) {
    Ticker ticker = Ticker.system("holdfast-jdbc-timer");
    try {
      StoreSettings settings = new StoreSettings(ticker, DEFAULT_TIMEOUT);
      return open(dataSource, options, settings, ticker::close);
    } catch (RuntimeException e) {
      ticker.close();
      throw e;
    }
  }

  /** As {@link #over(DataSource)}, with other settings; the ticker stays the caller's to close. */
  public static JdbcLockStore over(
      DataSource dataSource, JdbcOptions options, StoreSettings settings) {
    return open(dataSource, options, settings, () -> {});
  }

  private static JdbcLockStore open(
      DataSource dataSource, JdbcOptions options, StoreSettings settings, Runnable afterClose) {
    DatabasePool connections =
        DatabasePool.ofCallers(dataSource, options.createTables(), settings.operationTimeout());
    DatabaseAccess access = DatabaseAccess.of(connections, options, dataSource::getConnection);
    return new JdbcLockStore(access, settings, afterClose).opened();
  }

  /** Connects, so that errors show at once, and starts to sweep. */
  JdbcLockStore opened() {
    try {
      executor.within("opening", connection -> true);
    } catch (StoreException e) {
      close();
      throw e;
    }
    sweeper.start();
    return this;
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return groups.submit(
        "join",
        deadline,
        claim,
        paths.taking(claim),
        token -> {
          poller.ended(claim);
          return FastPath.granted(claim, token);
        },
        connection -> {
          JoinAnswer answer = paths.join(connection, claim, wait);
          if (answer instanceof Queued queued) {
            waits(claim, queued, paths.renewsInOne(connection, claim));
          } else {
            poller.ended(claim);
          }
          return answer;
        });
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    CompletionStage<Map<Claim, Standing>> answers;
    if (claims.size() == 1) {
      answers = refreshOne(claims.iterator().next(), deadline);
    } else {
      answers =
          Batches.ofRenewals(executor, ticker, paths::refresh, this::refreshOne)
              .ask(claims, deadline);
    }
    return answers.whenComplete(
        (standings, failure) -> {
          if (standings != null) {
            standings.forEach(this::track);
          }
        });
  }

  private CompletableFuture<Map<Claim, Standing>> refreshOne(Claim claim, Deadline deadline) {
    boolean mayHold = poller.mayHold(claim);
    return groups.submit(
        "renewal",
        deadline,
        claim,
        paths.renewing(claim, mayHold),
        token -> Map.of(claim, new Granted(token)),
        connection -> Map.of(claim, paths.refresh(connection, claim, mayHold)));
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(Collection<Departure> leaving, Deadline deadline) {
    leaving.forEach(departure -> poller.ended(departure.claim()));
    return leaving.size() == 1
        ? leaveOne(leaving.iterator().next(), deadline)
        : Batches.ofReleases(executor, ticker, slow::leave, this::leaveOne).ask(leaving, deadline);
  }

  private CompletableFuture<Map<Claim, Left>> leaveOne(Departure departure, Deadline deadline) {
    Claim claim = departure.claim();
    boolean simple = departure.linger().isZero() && !departure.tombstone();
    return groups.submit(
        "release",
        deadline,
        claim,
        simple ? paths.releasing(claim) : null,
        token -> Map.of(claim, Left.LEFT),
        connection ->
            simple ? paths.leave(connection, claim) : slow.leave(connection, List.of(departure)));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return executor.submit("eviction", lock, connection -> slow.evict(connection, lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return executor.submit("removal", lock, connection -> slow.discard(connection, lock));
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return observers.add(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return executor.submit("inspection", lock, connection -> listing.inspect(connection, lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return executor.submit("listing", "", connection -> listing.list(connection, prefix, limit));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return executor.submit("diagnosis", "", listing::diagnose);
  }

  @Override
  public Fence fence() {
    return new StoreFence(executor);
  }

  @Override
  public void close() {
    PostgresListener open = listener;
    if (open != null) {
      open.close();
    }
    poller.close();
    sweeper.close();
    executor.close();
    observers.clear();
    afterClose.run();
  }

  @Override
  public String toString() {
    return url;
  }

  private boolean isPushed() {
    return listener != null && listener.isListening();
  }

  private static String newChannel() {
    return "holdfast_" + UUID.randomUUID().toString().replace("-", "");
  }

  private void promoted(String lock, List<String> granted) {
    poller.promoted(lock, granted);
  }

  private void behindLinger(String claimId, Duration left) {
    poller.behindLinger(claimId, left);
  }

  private void track(Claim claim, Standing standing) {
    if (standing instanceof Queued queued) {
      waits(claim, queued, false);
    } else if (!(standing instanceof Unknown)) {
      poller.ended(claim);
    }
  }

  private void waits(Claim claim, Queued queued, boolean renewedInOne) {
    if (listener != null) {
      listener.start();
    }
    poller.waits(claim, queued.position(), renewedInOne);
  }
}
