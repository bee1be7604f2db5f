package dev.holdfast;

import dev.holdfast.election.LeaderElection;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLock;
import dev.holdfast.engine.EngineReadWriteLock;
import dev.holdfast.engine.EngineSemaphore;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.multi.OrderedLocks;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockName;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A client of one lock store. Make one per store and process, and close it at the end.
 *
 * <pre>{@code
 * try (Holdfast locks = Holdfast.connect("jdbc:sqlite:/var/lib/app/locks.db");
 *     Lease lease = locks.lock("invoice/42").acquire()) {
 *   ledger.post(invoice, lease.token());
 * }
 * }</pre>
 *
 * <p><b>Costs.</b> One thread for all renewals and time-outs, a few more while callbacks run, and
 * whatever the store's client library needs. Nothing is kept for a lock after its last lease.
 *
 * <p><b>Thread-safe.</b> {@link #inspect}, {@link #list}, {@link #breakLock}, {@link #verify},
 * {@link #diagnose}, {@link #attach} and {@link #close} wait for the store, for a bounded time;
 * they do not throw {@link InterruptedException} and leave the interrupt flag alone.
 */
public final class Holdfast implements AutoCloseable {

  /** How many locks {@link #list} reports at most. */
  public static final int LIST_LIMIT = 1000;

  private final Engine engine;
  private final LockOptions defaults;

  // Mutable state: nearly all mutexes of a client have the same options, and can share this
  private volatile @Nullable LockSpec mutex;

  Holdfast(Engine engine, LockOptions defaults) {
    this.engine = engine;
    this.defaults = defaults;
  }

  /**
   * Opens a client of the store at this URL.
   *
   * @throws IllegalArgumentException if the URL is malformed or its scheme is not known
   * @throws StoreException if the store cannot be reached or used
   */
  public static Holdfast connect(String url) {
    return builder().store(url).build();
  }

  /** Everything else that can be chosen. */
  public static Builder builder() {
    return new Builder();
  }

  /** The lock of this name, with the default options. */
  public DistributedLock lock(String name) {
    return lock(name, defaults);
  }

  /**
   * The lock of this name, with these options.
   *
   * @throws IllegalArgumentException if the name is not one, or the options contradict each other
   *     or what the store can do
   */
  public DistributedLock lock(String name, LockOptions options) {
    LockName.check(name);
    engine.check(Kind.MUTEX, options);
    LockSpec spec = mutex;
    if (spec == null || !spec.options.equals(options)) {
      spec = LockSpec.mutex(options);
      mutex = spec;
    }
    return new EngineLock(engine, name, spec);
  }

  /** The read-write lock of this name, with the default options. */
  public DistributedReadWriteLock readWriteLock(String name) {
    return readWriteLock(name, defaults);
  }

  /**
   * The read-write lock of this name, with these options.
   *
   * @throws UnsupportedOperationException if the store cannot share locks
   */
  public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
    engine.check(Kind.READ_WRITE, options);
    return new EngineReadWriteLock(engine, LockName.check(name), options);
  }

  /** The semaphore of this name with so many permits, with the default options. */
  public DistributedSemaphore semaphore(String name, int permits) {
    return semaphore(name, permits, defaults);
  }

  /**
   * The semaphore of this name with so many permits, with these options.
   *
   * @throws UnsupportedOperationException if the store cannot share locks
   */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    engine.check(Kind.SEMAPHORE, options);
    return new EngineSemaphore(engine, LockName.check(name), permits, options);
  }

  /** Several locks as one, with the default options. */
  public MultiLock lockAll(Collection<String> names) {
    return lockAll(names, defaults);
  }

  /** Several locks as one, with these options, whatever the order in which the names are given. */
  public MultiLock lockAll(Collection<String> names, LockOptions options) {
    names.forEach(LockName::check);
    engine.check(Kind.MUTEX, options);
    return new OrderedLocks(engine, names, options);
  }

  /** The election of this name, with the default options. */
  public Election election(String name) {
    return election(name, defaults);
  }

  /**
   * The election of this name, with these options.
   *
   * @throws IllegalArgumentException if they have a minHold: who has resigned would still be shown
   */
  public Election election(String name, LockOptions options) {
    engine.check(Kind.ELECTION, options);
    return new LeaderElection(engine, LockName.check(name), options);
  }

  /** Who holds the lock and who waits for it. */
  public LockInfo inspect(String name) {
    return engine.inspect(LockName.check(name));
  }

  /** The locks in use whose names start with the prefix: the first {@link #LIST_LIMIT} by name. */
  public List<LockInfo> list(String prefix) {
    return engine.list(prefix, LIST_LIMIT);
  }

  /**
   * Takes the lock away from whoever holds it. Their leases end as lost at once where the store can
   * tell them, at the next renewal otherwise; their tokens are smaller than all that the store
   * grants later.
   *
   * @return whether it was held
   */
  public boolean breakLock(String name) {
    return engine.evict(LockName.check(name), LockStore.ANY_TOKEN);
  }

  /**
   * Takes the lock away from the claim that this token was handed out with, and from no later one.
   * Any token reserved for the claim of a mutex names it, and breaking it ends whichever thread of
   * that client has it by now; a reader's or a permit's claim is named by its first token.
   *
   * @return whether that claim held it
   * @throws IllegalArgumentException if the token is none that a store hands out
   */
  public boolean breakLock(String name, long token) {
    return engine.evict(LockName.check(name), Tokens.check(token));
  }

  /**
   * Removes what is stored of a lock as far as it cannot be read ({@link
   * UnreadableRecordException}); the lock can be taken again then. A record that can be read is
   * left alone: {@link #breakLock(String)} ends its holder. If a newer version of Holdfast wrote
   * the record, its holder loses the lock.
   *
   * @return whether something was removed
   */
  public boolean discard(String name) {
    LockName.check(name);
    return engine.ask("discard", "the removal of", name, store -> store.discard(name));
  }

  /**
   * Asks the store whether a claim that holds the lock now {@linkplain ClaimInfo#backs backs} the
   * proof: client, mode and token. Tells clients apart, not threads of one client: only a {@link
   * Fence} does that.
   */
  public boolean verify(Proof proof) {
    return inspect(proof.lock()).holders().stream().anyMatch(holder -> holder.backs(proof));
  }

  /** What the store tells about its clock and about settings that endanger locks; for people. */
  public Diagnosis diagnose() {
    return engine.ask("diagnose", "the diagnosis of", "", LockStore::diagnose);
  }

  /**
   * The fence for data in this client's store; see {@code holdfast fence}. Each call is a step of
   * its own. The store's own fence class, such as {@code RedisFence}, keeps the same tokens and
   * checks them in one step with the write.
   *
   * @throws UnsupportedOperationException if the store has no fence
   */
  public Fence fence() {
    return engine.store().fence();
  }

  /** What the store can do. */
  public Traits traits() {
    return engine.traits();
  }

  /**
   * Resumes a lease that {@link Lease#detach} left, possibly in another process.
   *
   * @throws LeaseLostException if its ttl has ended meanwhile
   * @throws IllegalArgumentException if the store did not reserve its token, or takes no such ttl
   * @throws StoreException if the store does not answer
   */
  public Lease attach(LeaseHandle handle) {
    return engine.attach(handle, defaults);
  }

  /**
   * Makes later tokens of this lock greater than this one, from this client's next join or renewal
   * of it on, within an hour. For a client that a fence refused after a backup was restored.
   *
   * @throws IllegalArgumentException if the token is more than an hour ahead of our clock and of
   *     what we were granted: reset the fence
   * @throws UnsupportedOperationException if tokens are the store's own revisions
   */
  public void raiseFloor(String name, long token) {
    engine.floors().raise(name, token);
  }

  /** {@link #raiseFloor} up to {@link Traits#maxFloor}: for an operator who knows better. */
  public void forceFloor(String name, long token) {
    engine.floors().force(name, token);
  }

  /** How many events the listeners were too slow to hear ({@link HoldfastListener#QUEUE}). */
  public long droppedEvents() {
    return engine.droppedEvents();
  }

  /** Leaves every queue, releases every lease and closes the store, in bounded time. */
  @Override
  public void close() {
    engine.close();
  }

  @Override
  public String toString() {
    return "Holdfast[" + engine + "]";
  }

  /** Settings of a client. Not thread-safe. */
  public static final class Builder {
    // Read by Opening
    @Nullable String url;
    @Nullable LockStore store;
    Credentials credentials = Credentials.none();
    String clientName = "";
    @Nullable LockOptions options;
    final List<HoldfastListener> listeners = new ArrayList<>();
    LeakReports leakReports = LeakReports.SAMPLED;
    @Nullable Executor executor;
    @Nullable Ticker ticker;
    Duration operationTimeout = Duration.ofSeconds(5);

    private Builder() {}

    /** The store's URL. */
    public Builder store(String storeUrl) {
      url = storeUrl;
      store = null;
      return this;
    }

    /**
     * Who to log in as at the store of the URL; keeps the password out of it. What is null is left
     * to the URL. Stores that know no accounts ignore both.
     */
    public Builder credentials(@Nullable String user, @Nullable String password) {
      credentials = new Credentials(user, password);
      return this;
    }

    /** A store of the caller's making; the client closes it. */
    public Builder store(LockStore instance) {
      store = instance;
      url = null;
      return this;
    }

    /** What holders are called unless they have a {@link LockOptions#label}; as that, visible. */
    public Builder clientName(String name) {
      clientName = PrintableText.checkLabel("clientName", name);
      return this;
    }

    /**
     * The options of {@link Holdfast#lock(String)} and the like. They must suit the store; without
     * this call they are {@link LockOptions#defaults}, which are checked when a lock is made.
     */
    public Builder defaults(LockOptions lockOptions) {
      options = lockOptions;
      return this;
    }

    /** Hears what happens. There may be several, called in the order in which they were added. */
    public Builder listener(HoldfastListener lockListener) {
      listeners.add(lockListener);
      return this;
    }

    /**
     * Which leases are remembered with the place of their acquisition, so that one that is never
     * closed can be reported with it. Default: a sample.
     */
    public Builder leakReports(LeakReports reports) {
      leakReports = reports;
      return this;
    }

    /**
     * Where futures complete and {@code onLost} actions and listeners run. Default: daemon threads
     * of the client's own, virtual ones where the JVM has them; they end when idle. The caller
     * keeps it: the client does not shut it down. It is called by those threads, never by the timer
     * or a thread of the store, so one that runs tasks on the calling thread delays nothing else.
     * Tasks that it refuses run there too; one that it takes and never runs is lost, with all that
     * a {@link LeaderListener} would have heard after it until the client is closed. So close the
     * client before an executor that drops what is queued.
     */
    public Builder executor(Executor callbacks) {
      executor = callbacks;
      return this;
    }

    /**
     * Time, for tests that drive it by hand; the caller closes it. With it the {@link #executor} is
     * called where a task arises, so that a test of one thread sees every outcome at once.
     */
    public Builder ticker(Ticker time) {
      ticker = time;
      return this;
    }

    /** How long to wait for one answer of the store. Default 5 s. */
    public Builder operationTimeout(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException(
            "operationTimeout (" + timeout + ") must be longer than zero");
      }
      operationTimeout = timeout;
      return this;
    }

    /**
     * Opens the client.
     *
     * @throws IllegalArgumentException if the settings contradict each other or the store's traits
     * @throws StoreException if the store cannot be reached or used
     */
    public Holdfast build() {
      return Opening.of(this);
    }
  }
}
