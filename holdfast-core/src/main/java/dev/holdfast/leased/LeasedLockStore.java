package dev.holdfast.leased;

import dev.holdfast.LockInfo;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.BaseLockStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A store whose claims are keys on shared leases: all verbs but join and leave, over the store's
 * primitives. Thread-safe, as subclasses must be; no thread waits here for the server.
 *
 * @param <L> the store's leases
 */
public abstract class LeasedLockStore<L extends KeptLease> extends BaseLockStore {

  private final HolderWatch holders;
  private final Standings<L> standings;
  private final Renewal<L> renewal;
  private final Reader reader;

  /**
   * Over these primitives, which the store shuts down itself.
   *
   * @param name of the store, for messages
   */
  protected LeasedLockStore(
      String name,
      Traits traits,
      KeyCalls<L> calls,
      RecordFormat format,
      KeyWatches watches,
      LeaseClasses<L> leases,
      ClaimRegistry registry,
      Ticker ticker) {
    super(name, traits, new Observers());
    Wakeups wakeups = new Wakeups(watches, format, observers());
    holders = new HolderWatch(watches, observers(), registry, ticker);
    standings = new Standings<>(calls, format, leases, registry, wakeups, holders);
    renewal = new Renewal<>(calls, leases, registry, wakeups, holders, standings);
    reader = new Reader(calls, format, ticker);
  }

  /** For joins that are granted at once. */
  protected final HolderWatch holders() {
    return holders;
  }

  /** For the store's own way to join and leave. */
  protected final Standings<L> standings() {
    return standings;
  }

  @Override
  public final CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return renewal.refresh(claims, deadline);
  }

  @Override
  public final CompletionStage<Boolean> evict(String lock, long token) {
    return reader.evict(lock, token);
  }

  @Override
  public final CompletionStage<Boolean> discard(String lock) {
    return reader.discard(lock);
  }

  @Override
  public final CompletionStage<LockInfo> inspect(String lock) {
    return reader.inspect(lock);
  }

  @Override
  public final CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return reader.list(prefix, limit);
  }
}
