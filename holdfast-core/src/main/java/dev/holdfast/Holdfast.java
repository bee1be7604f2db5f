package dev.holdfast;

import dev.holdfast.election.LeaderElection;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLock;
import dev.holdfast.engine.EngineReadWriteLock;
import dev.holdfast.engine.EngineSemaphore;
import dev.holdfast.engine.EngineSettings;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.multi.OrderedLocks;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
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

  // Mutable state: nearly all mutexes of a client have the same options, which were checked then
  private volatile @Nullable LockSpec mutex;

  private Holdfast(Engine engine, LockOptions defaults) {
    this.engine = engine;
    this.defaults = defaults;
  }

  /**
   * Opens a client of the store at this URL; see {@link Builder#build}.
   *
   * @throws StoreException if the store cannot be reached or used
   */
  public static Holdfast connect(String url) {
    return builder().store(url).build();
  }

  /** {@return a builder with all settings} */
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
    LockSpec spec = mutex;
    if (spec == null || !spec.options.equals(options)) {
      engine.check(Kind.MUTEX, options);
      spec = LockSpec.mutex(options);
      mutex = spec;
    }
    return new EngineLock(engine, name, spec);
  }

  /** The read-write lock of this name, with the default options. */
  public DistributedReadWriteLock readWriteLock(String name) {
    return readWriteLock(name, defaults);
  }

  /** The read-write lock of this name, with these options, on a store that can share locks. */
  public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
    engine.check(Kind.READ_WRITE, options);
    return new EngineReadWriteLock(engine, LockName.check(name), options);
  }

  /** The semaphore of this name and number of permits, on a store that can share locks. */
  public DistributedSemaphore semaphore(String name, int permits) {
    return semaphore(name, permits, defaults);
  }

  /** The semaphore of this name and number of permits, with these options. */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    engine.check(Kind.SEMAPHORE, options);
    return new EngineSemaphore(engine, LockName.check(name), permits, options);
  }

  /** Several locks as one, with the default options. */
  public MultiLock lockAll(Collection<String> names) {
    return lockAll(names, defaults);
  }

  /** Several locks as one, with these options; the order of the names makes no difference. */
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
   * @throws IllegalArgumentException if they have a minHold: a resigned leader would still be shown
   */
  public Election election(String name, LockOptions options) {
    engine.check(Kind.ELECTION, options);
    return new LeaderElection(engine, LockName.check(name), options);
  }

  /** {@return the holders of the lock and the claims that wait for it} */
  public LockInfo inspect(String name) {
    return engine.inspect(LockName.check(name));
  }

  /** The locks in use whose names start with the prefix: the first {@link #LIST_LIMIT} by name. */
  public List<LockInfo> list(String prefix) {
    return engine.list(prefix, LIST_LIMIT);
  }

  /**
   * Takes the lock away from its holders. Their leases are lost at once where the store pushes, at
   * the next renewal otherwise; later tokens are greater.
   *
   * @return true if it was held
   */
  public boolean breakLock(String name) {
    return engine.evict(LockName.check(name), LockStore.ANY_TOKEN);
  }

  /**
   * Takes the lock away from the claim with this token, and from no later one. A mutex's claim is
   * named by any token reserved for it, whichever thread of that client has it now; a reader's or a
   * permit's claim by its first token.
   *
   * @return true if that claim held it
   * @throws IllegalArgumentException if there is no such token
   */
  public boolean breakLock(String name, long token) {
    return engine.evict(LockName.check(name), Proof.checkToken(token));
  }

  /**
   * Removes the records of a lock that cannot be read ({@link UnreadableRecordException}), so that
   * it can be acquired again. Readable ones stay: use {@link #breakLock(String)}. If a newer
   * version of Holdfast wrote the record, its holder loses the lock.
   *
   * @return true if something was removed
   */
  public boolean discard(String name) {
    LockName.check(name);
    return engine.ask("discard", "the removal of", name, store -> store.discard(name));
  }

  /**
   * Asks the store whether a claim that holds the lock now {@linkplain ClaimInfo#backs backs} the
   * proof. Distinguishes clients, not threads of one client: only a {@link Fence} does that.
   */
  public boolean verify(Proof proof) {
    return inspect(proof.lock()).holders().stream().anyMatch(holder -> holder.backs(proof));
  }

  /** {@return the store's clock, and its settings that endanger locks} */
  public Diagnosis diagnose() {
    return engine.ask("diagnose", "the diagnosis of", "", LockStore::diagnose);
  }

  /**
   * The fence for data in this client's store. Each call is a separate step; the store's own fence
   * class, such as {@code RedisFence}, keeps the same tokens and checks them together with the
   * write.
   *
   * @throws UnsupportedOperationException if the store has no fence
   */
  public Fence fence() {
    return engine.store().fence();
  }

  /** {@return what the store can do} */
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
   * within an hour. For a client that a fence refused after a backup was restored.
   *
   * @throws IllegalArgumentException if the token is more than an hour ahead of our clock and of
   *     what we were granted: reset the fence
   * @throws UnsupportedOperationException if tokens are the store's own revisions
   */
  public void raiseFloor(String name, long token) {
    engine.floors().raise(name, token);
  }

  /** As {@link #raiseFloor}, up to {@link Traits#maxFloor}: for operators. */
  public void forceFloor(String name, long token) {
    engine.floors().force(name, token);
  }

  /**
   * @return the number of events dropped because listeners were slow ({@link
   *     HoldfastListener#QUEUE})
   */
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
    private @Nullable String url;
    private @Nullable LockStore store;
    private Credentials credentials = Credentials.none();
    private String clientName = "";
    private @Nullable LockOptions options;
    private final List<HoldfastListener> listeners = new ArrayList<>();
    private LeakReports leakReports = LeakReports.SAMPLED;
    private @Nullable Executor executor;
    private @Nullable Ticker ticker;
    private Duration operationTimeout = Duration.ofSeconds(5);

    private Builder() {}

    /** Sets the store's URL. */
    public Builder store(String storeUrl) {
      url = storeUrl;
      store = null;
      return this;
    }

    /** Sets the account at the store of the URL; null: as the URL has it. Keeps both out of it. */
    public Builder credentials(@Nullable String user, @Nullable String password) {
      credentials = new Credentials(user, password);
      return this;
    }

    /** Sets the store itself; the client closes it. */
    public Builder store(LockStore instance) {
      store = instance;
      url = null;
      return this;
    }

    /** Sets the name of holders without a {@link LockOptions#label}; visible to all clients. */
    public Builder clientName(String name) {
      clientName = PrintableText.checkLabel("clientName", name);
      return this;
    }

    /** Sets the options of {@link Holdfast#lock(String)} and the like; they must suit the store. */
    public Builder defaults(LockOptions lockOptions) {
      options = lockOptions;
      return this;
    }

    /** Adds a listener; several are called in the order in which they were added. */
    public Builder listener(HoldfastListener lockListener) {
      listeners.add(lockListener);
      return this;
    }

    /** Sets which leases that are never closed are reported with the place of their acquisition. */
    public Builder leakReports(LeakReports reports) {
      leakReports = reports;
      return this;
    }

    /**
     * Sets where futures complete and {@code onLost} actions and listeners run. Default: the
     * client's own daemon threads, virtual ones where the JVM has them; they end when idle.
     *
     * <p>The client does not shut the executor down. It calls it from those threads, never from the
     * timer or a thread of the store, so an executor that runs tasks on the calling thread delays
     * nothing else. Tasks that it refuses run there too. A task that it accepts and never runs is
     * lost, with all later events of its {@link LeaderListener}: close the client before an
     * executor that drops its queue.
     */
    public Builder executor(Executor callbacks) {
      executor = callbacks;
      return this;
    }

    /**
     * Sets the time, for tests that drive it by hand; the caller closes it. The {@link #executor}
     * is then called where a task arises, so that a test of one thread sees every outcome at once.
     */
    public Builder ticker(Ticker time) {
      ticker = time;
      return this;
    }

    /** Sets how long to wait for one answer of the store. Default 5 s. */
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
      if (options != null) {
        options.check();
      }
      boolean own = ticker == null;
      Ticker time = ticker != null ? ticker : Ticker.system("holdfast-timer");
      LockStore opened = store;
      try {
        if (opened == null) {
          opened = Stores.open(url, new StoreSettings(time, operationTimeout, credentials));
        }
        if (options != null) {
          opened.traits().check(opened.toString(), options);
        }
        EngineSettings settings =
            new EngineSettings(
                opened, time, own, executor, listeners, clientName, operationTimeout, leakReports);
        return new Holdfast(
            new Engine(settings), options != null ? options : LockOptions.defaults());
      } catch (RuntimeException | Error e) {
        closeOwn(opened, time);
        throw e;
      }
    }

    private void closeOwn(@Nullable LockStore opened, Ticker time) {
      if (store == null && opened != null) {
        opened.close();
      }
      if (ticker == null) {
        time.close();
      }
    }
  }
}
