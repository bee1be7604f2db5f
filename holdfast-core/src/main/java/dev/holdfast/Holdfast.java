package dev.holdfast;

import dev.holdfast.engine.Constructs;
import dev.holdfast.engine.Engine;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockName;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
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
 * <p><b>Threads.</b> All methods may be called by any thread. {@link #inspect}, {@link #list},
 * {@link #breakLock}, {@link #verify}, {@link #diagnose}, {@link #attach} and {@link #close} wait
 * for the store, for a bounded time; they do not throw {@link InterruptedException} and leave the
 * interrupt flag alone.
 */
public final class Holdfast implements AutoCloseable {

  /** How many locks {@link #list} reports at most. */
  public static final int LIST_LIMIT = 1000;

  private final Engine engine;
  private final Constructs constructs;
  private final LockOptions defaults;

  private Holdfast(Engine engine, LockOptions defaults) {
    this.engine = engine;
    this.constructs = new Constructs(engine);
    this.defaults = defaults;
  }

  /**
   * Opens a client of the store at this URL.
   *
   * @throws IllegalArgumentException if the URL is malformed or its scheme is not known; the
   *     message lists those that are
   * @throws StoreException if the store cannot be reached or used
   */
  public static Holdfast connect(String url) {
    return builder().store(url).build();
  }

  /** For everything else that can be chosen. */
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
    return constructs.mutex(LockName.check(name), options);
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
    return constructs.readWriteLock(LockName.check(name), options);
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
    return constructs.semaphore(LockName.check(name), permits, options);
  }

  /** Several locks as one, with the default options. */
  public DistributedLock lockAll(Collection<String> names) {
    return lockAll(names, defaults);
  }

  /**
   * Several locks as one: all of them or none, within one deadline, whatever the order in which the
   * names are given. The lease is lost as soon as one of them is, and gives all of them back even
   * if the store does not answer for one; its {@link Lease#parts} have the tokens.
   *
   * <p>The locks are ordinary ones: others can take them one by one. Whoever does so and calls this
   * while holding one of them must know that the order is kept. {@link DistributedLock#asLock} is
   * refused.
   *
   * <p>Every way to acquire them may also end with {@link LeaseLostException}: one of them was lost
   * before the last was granted. Whatever keeps it from all of them, none stays taken, not for a
   * minHold either.
   */
  public DistributedLock lockAll(Collection<String> names, LockOptions options) {
    names.forEach(LockName::check);
    return constructs.lockAll(names, options);
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
    return constructs.election(LockName.check(name), options);
  }

  /** Runs a job unless it runs elsewhere, with the default options. */
  public boolean runLocked(String name, Runnable job) throws InterruptedException {
    return runLocked(name, defaults, job);
  }

  /**
   * Runs a job unless it runs elsewhere: for schedules that fire on several machines.
   *
   * <p>With {@link LockOptions#minHold} the lock stays taken for so long after the job has begun,
   * even if the job and its process end earlier, so that a machine whose clock is late does not run
   * it again. With {@link LockOptions#maxHold} it is given up at the latest then. When the lock is
   * lost, the thread of the job is interrupted; the flag is cleared when the job has returned, also
   * that of another interrupt which came together with it.
   *
   * @return whether it ran; false if it runs, or has run just now, elsewhere
   * @throws LeaseLostException if it ran and the lock was lost meanwhile; what the job threw then
   *     is suppressed in it
   * @throws StoreException if the store does not answer; the job has not run
   */
  public boolean runLocked(String name, LockOptions options, Runnable job)
      throws InterruptedException {
    return constructs.runLocked(LockName.check(name), options, job);
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
   * Takes the lock away from whoever holds it. Their leases end as lost at the next renewal; their
   * tokens are smaller than all later ones.
   *
   * @return whether it was held
   */
  public boolean breakLock(String name) {
    return engine.evict(LockName.check(name));
  }

  /**
   * Asks the store whether the client that the proof names holds the lock now. Tells clients apart,
   * not threads of one client: only a {@link Fence} does that.
   */
  public boolean verify(Proof proof) {
    return inspect(proof.lock()).holders().stream()
        .anyMatch(
            holder ->
                holder.owner().client().equals(proof.owner().client())
                    && holder.token() <= proof.token());
  }

  /** What the store tells about its clock and about settings that endanger locks; for people. */
  public Diagnosis diagnose() {
    return engine.ask("the diagnosis of", "", LockStore::diagnose);
  }

  /** What the store can do. */
  public Traits traits() {
    return engine.traits();
  }

  /**
   * Resumes a lease that {@link Lease#detach} left, possibly in another process.
   *
   * @throws LeaseLostException if its ttl has ended meanwhile
   * @throws StoreException if the store does not answer
   */
  public Lease attach(LeaseHandle handle) {
    return engine.attach(handle, defaults);
  }

  /**
   * Makes every later token of this client greater than this one. For a client that was refused by
   * a fence after the store had been restored from a backup.
   */
  public void raiseFloor(long token) {
    engine.raiseFloor(token);
  }

  /** Leaves every queue, releases every lease and closes the store, in bounded time. */
  @Override
  public void close() {
    engine.close();
  }

  /** The client's store, without secrets. */
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
    private LockOptions options = LockOptions.defaults();
    private @Nullable HoldfastListener listener;
    private @Nullable Executor executor;
    private @Nullable Ticker ticker;
    private Duration operationTimeout = Duration.ofSeconds(5);

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

    /** What holders are called in messages and listings unless their options have a label. */
    public Builder clientName(String name) {
      clientName = name;
      return this;
    }

    /** The options of {@link Holdfast#lock(String)}. */
    public Builder defaults(LockOptions lockOptions) {
      options = lockOptions;
      return this;
    }

    /** Hears what happens. */
    public Builder listener(HoldfastListener lockListener) {
      listener = lockListener;
      return this;
    }

    /**
     * Where futures complete and {@code onLost} actions and listeners run. Default: daemon threads
     * of the client's own that end when idle, at most four for futures and listeners and 64 for
     * {@code onLost}. The caller keeps it: the client does not shut it down. Tasks that it refuses
     * run on those threads; one that it takes and never runs is lost, with all that a {@link
     * LeaderListener} would have heard after it until the client is closed. So close the client
     * before an executor that drops what is queued.
     */
    public Builder executor(Executor callbacks) {
      executor = callbacks;
      return this;
    }

    /** Time, for tests that drive it by hand; the caller closes it. */
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
      options.check();
      String storeUrl = url;
      LockStore instance = store;
      if (storeUrl == null && instance == null) {
        throw new IllegalArgumentException(
            "no store given; call store(\"memory:\") or another URL first");
      }
      Ticker given = ticker;
      Ticker time = given != null ? given : Ticker.system("holdfast-timer");
      LockStore opened =
          instance != null
              ? instance
              : Stores.open(storeUrl, new StoreSettings(time, operationTimeout, credentials));
      Engine engine =
          new Engine(opened, time, given == null, executor, listener, clientName, operationTimeout);
      return new Holdfast(engine, options);
    }
  }
}
