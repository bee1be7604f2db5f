package dev.holdfast;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a store can do. What a trait claims, the conformance kit tests; what it denies, is refused
 * with a clear error.
 *
 * @param fair keeps waiters in a queue and grants in arrival order; otherwise waiters retry
 * @param pushes tells the next in line that its turn has come, instead of being polled
 * @param tellsHolders tells the holder of a keepable claim, without being asked, that another claim
 *     wants the lock; only then does a client keep claims that it has released
 * @param minTtl the shortest ttl it takes
 * @param maxTtl the longest ttl it takes
 * @param ttlResolution ttls are rounded up to a multiple of this
 * @param expiryLag how late beyond the ttl a dead claim may be taken over
 * @param kinds the kinds of lock it can keep
 * @param lingers can keep a lock taken for a while after its holder left ({@code minHold})
 * @param detachable a lease can be resumed by another process
 * @param durable claims and tokens survive a restart of the store
 * @param consistency how far its word can be trusted when machines fail
 * @param spansProcesses excludes other processes too, not only threads of this one
 * @param ownTtl each claim has its own ttl; otherwise that of the session or lease that the
 *     client's claims share
 * @param maxFloor the greatest token that others can be raised above ({@link Holdfast#raiseFloor});
 *     0 where tokens are the store's own revisions, which nobody can raise
 * @param lists can tell which locks are in use; otherwise one must know a lock's name to look at it
 */
public record Traits(
    boolean fair,
    boolean pushes,
    boolean tellsHolders,
    Duration minTtl,
    Duration maxTtl,
    Duration ttlResolution,
    Duration expiryLag,
    Set<Kind> kinds,
    boolean lingers,
    boolean detachable,
    boolean durable,
    Consistency consistency,
    boolean spansProcesses,
    boolean ownTtl,
    long maxFloor,
    boolean lists) {

  /** Copies the set. */
  public Traits {
    EnumSet<Kind> copy = EnumSet.noneOf(Kind.class);
    copy.addAll(kinds);
    kinds = Collections.unmodifiableSet(copy);
  }

  /**
   * A store that promises the least; switch on what holds. Only listing and a ttl for each claim,
   * which nearly every store has, are on.
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Refuses options that this store cannot honour.
   *
   * @param store how messages name the store
   * @throws IllegalArgumentException saying which value is out and what would be right
   */
  public void check(String store, LockOptions options) {
    Duration ttl = options.ttl();
    if (ttl.compareTo(minTtl) < 0 || ttl.compareTo(maxTtl) > 0) {
      throw new IllegalArgumentException(
          "ttl (" + ttl + ") is outside what " + store + " takes: " + minTtl + " to " + maxTtl);
    }
    if (options.required().compareTo(consistency) > 0) {
      throw new IllegalArgumentException(
          store
              + " is "
              + consistency
              + " and cannot give the required "
              + options.required()
              + ": after a failure of the store two holders are possible."
              + " Use a consensus store, or guard the resource with a Fence.");
    }
    if (!options.minHold().isZero() && !lingers) {
      throw new IllegalArgumentException(store + " does not support minHold; it must be zero");
    }
  }

  /**
   * Refuses a listing that this store cannot make.
   *
   * @param store how messages name the store
   * @throws UnsupportedOperationException saying what can be done instead
   */
  public void checkLists(String store) {
    if (!lists) {
      throw new UnsupportedOperationException(
          store + " cannot tell which locks are in use; inspect a lock by its name");
    }
  }

  /** Switches traits on, one by one. Not thread-safe. */
  public static final class Builder {
    private boolean fair;
    private boolean pushes;
    private boolean tellsHolders;
    private Duration minTtl = Duration.ofMillis(10);
    private Duration maxTtl = Duration.ofDays(1);
    private Duration ttlResolution = Duration.ofMillis(1);
    private Duration expiryLag = Duration.ZERO;
    private Set<Kind> kinds = EnumSet.of(Kind.MUTEX, Kind.ELECTION);
    private boolean lingers;
    private boolean detachable;
    private boolean durable;
    private Consistency consistency = Consistency.BEST_EFFORT;
    private boolean spansProcesses;
    private boolean ownTtl = true;
    private long maxFloor;
    private boolean lists = true;

    private Builder() {}

    /** Grants in arrival order. */
    public Builder fair() {
      fair = true;
      return this;
    }

    /** Wakes the next in line. */
    public Builder pushes() {
      pushes = true;
      return this;
    }

    /** Tells the holder of a keepable claim that another one wants the lock. */
    public Builder tellsHolders() {
      tellsHolders = true;
      return this;
    }

    /** The shortest and longest ttl. */
    public Builder ttl(Duration shortest, Duration longest) {
      minTtl = shortest;
      maxTtl = longest;
      return this;
    }

    /** What ttls are rounded up to. */
    public Builder ttlResolution(Duration resolution) {
      ttlResolution = resolution;
      return this;
    }

    /** How late a takeover may be. */
    public Builder expiryLag(Duration lag) {
      expiryLag = lag;
      return this;
    }

    /** Keeps every kind of lock. */
    public Builder allKinds() {
      kinds = EnumSet.allOf(Kind.class);
      return this;
    }

    /** Can keep a lock taken after its holder left. */
    public Builder lingers() {
      lingers = true;
      return this;
    }

    /** Leases can be resumed elsewhere. */
    public Builder detachable() {
      detachable = true;
      return this;
    }

    /** Survives restart. */
    public Builder durable() {
      durable = true;
      return this;
    }

    /** How far its word can be trusted. */
    public Builder consistency(Consistency value) {
      consistency = value;
      return this;
    }

    /** Excludes other processes. */
    public Builder spansProcesses() {
      spansProcesses = true;
      return this;
    }

    /** Claims share the ttl of a session or lease. */
    public Builder sharedTtl() {
      ownTtl = false;
      return this;
    }

    /** Tokens can be raised above any floor up to this one. */
    public Builder floors(long greatest) {
      maxFloor = greatest;
      return this;
    }

    /** Cannot tell which locks are in use. */
    public Builder cannotList() {
      lists = false;
      return this;
    }

    /** The traits. */
    public Traits build() {
      return new Traits(
          fair,
          pushes,
          tellsHolders,
          minTtl,
          maxTtl,
          ttlResolution,
          expiryLag,
          kinds,
          lingers,
          detachable,
          durable,
          consistency,
          spansProcesses,
          ownTtl,
          maxFloor,
          lists);
    }
  }
}
