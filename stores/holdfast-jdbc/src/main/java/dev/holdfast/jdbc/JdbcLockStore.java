package dev.holdfast.jdbc;

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
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks in the tables of a SQL database.
 *
 * <p>Taking an uncontended lock is one statement, renewing it another, releasing it a third. All
 * expiry is by the database's clock. Waiters are told by the database where it can (PostgreSQL),
 * and found by one poll per client elsewhere, which runs only while some wait.
 *
 * <p>Does not promise more than its database: what a restored backup has forgotten is forgotten
 * here too. It never takes part in a transaction of the caller's.
 *
 * <p><b>Threads.</b> Safe for any threads. Callers never wait for the database: the work runs in
 * daemon threads of the store's own, one for each connection it uses, and stages complete there.
 */
public final class JdbcLockStore implements LockStore {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  private final String url;
  private final Traits traits;
  private final SqlExecutor executor;
  private final Observers observers = new Observers();
  private final SlowPath slow;
  private final Paths paths;
  private final Listing listing;
  private final Poller poller;
  private final @Nullable PostgresListener listener;
  private final Sweeper sweeper;
  private final Batches<Claim, Standing> refreshes;
  private final Batches<Departure, Left> departures;
  private final Runnable afterClose;

  JdbcLockStore(Access access, StoreSettings settings, Runnable afterClose) {
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
    slow = new SlowPath(reader, channel, this::promoted, this::behindLinger);
    paths =
        new Paths(
            new FastPath(dialect, owners, reader),
            dialect.handOff(owners),
            slow,
            this::promoted,
            settings.ticker());
    listing = new Listing(reader);
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
    refreshes =
        new Batches<>(executor, "renewal", Function.identity(), slow::refresh, Unknown::new);
    departures =
        new Batches<>(executor, "release", Departure::claim, slow::leave, why -> Left.UNKNOWN);
  }

  /**
   * On the caller's connections, with the defaults of {@link JdbcOptions} but without listening,
   * which would keep a connection, and an operation time-out of 5 s.
   *
   * <p>Each operation takes one connection and gives it back as it came; the data source stays the
   * caller's to close. The threads that take connections are the store's own, so a data source that
   * binds a transaction to the caller's thread does no harm.
   *
   * @throws IllegalArgumentException if the database is not one that Holdfast knows
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
    DataSourceConnections connections =
        DataSourceConnections.of(
            dataSource, DataSourceConnections.THE_CALLERS, options, settings.operationTimeout());
    Access access = connections.access(options, dataSource);
    return new JdbcLockStore(access, settings, afterClose).opened();
  }

  /** Connects, so that what is wrong is known now, and starts to sweep. */
  JdbcLockStore opened() {
    try {
      executor.within("opening", session -> true);
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
    return executor.submit(
        "join",
        claim.lock(),
        deadline,
        session -> {
          JoinAnswer answer = paths.join(session, claim, wait);
          if (answer instanceof Queued queued) {
            waits(claim, queued, paths.renewsInOne(session, claim));
          } else {
            poller.ended(claim);
          }
          return answer;
        });
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    CompletionStage<Map<Claim, Standing>> answers =
        claims.size() == 1
            ? refresh(claims.iterator().next(), deadline)
            : refreshes.run(claims, deadline);
    return answers.whenComplete(
        (standings, failure) -> {
          if (standings != null) {
            standings.forEach(this::track);
          }
        });
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(Collection<Departure> leaving, Deadline deadline) {
    leaving.forEach(departure -> poller.ended(departure.claim()));
    if (leaving.size() > 1) {
      return departures.run(leaving, deadline);
    }
    for (Departure departure : leaving) {
      if (departure.linger().isZero() && !departure.tombstone()) {
        return release(departure.claim(), deadline);
      }
    }
    return departures.run(leaving, deadline);
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return executor.submit("eviction", lock, session -> slow.evict(session, lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return executor.submit("removal", lock, session -> slow.discard(session, lock));
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return observers.add(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return executor.submit("inspection", lock, session -> listing.inspect(session, lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return executor.submit("listing", "", session -> listing.list(session, prefix, limit));
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

  private CompletionStage<Map<Claim, Standing>> refresh(Claim claim, Deadline deadline) {
    boolean mayHold = poller.mayHold(claim);
    return executor.submit(
        "renewal",
        claim.lock(),
        deadline,
        session -> Map.of(claim, paths.refresh(session, claim, mayHold)));
  }

  private CompletionStage<Map<Claim, Left>> release(Claim claim, Deadline deadline) {
    return executor.submit(
        "release", claim.lock(), deadline, session -> paths.leave(session, claim));
  }

  private boolean isPushed() {
    return listener != null && listener.isListening();
  }

  private static String newChannel() {
    return "holdfast_" + UUID.randomUUID().toString().replace("-", "");
  }

  private void promoted(String lock, List<String> letIn) {
    poller.promoted(lock, letIn);
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
