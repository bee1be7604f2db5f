package dev.holdfast.engine;

import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** One handle on a {@link Hold}. Nested leases are several handles on one. */
class EngineLease implements Lease {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Entry entry;
  private final Hold hold;

  /** On one entry of the hold, made for this. */
  EngineLease(Hold hold, LockSpec spec) {
    this(new Entry(hold, spec.isReading()));
  }

  /** On the same entry as another one. */
  EngineLease(EngineLease other) {
    this(other.entry);
  }

  private EngineLease(Entry entry) {
    this.entry = entry;
    this.hold = entry.hold;
  }

  private LocalQueue queue() {
    return entry.queue();
  }

  private Engine engine() {
    return queue().engine();
  }

  @Override
  public String lockName() {
    return queue().name;
  }

  @Override
  public long token() {
    return hold.token;
  }

  @Override
  public Proof proof() {
    return hold.proof();
  }

  @Override
  public Owner owner() {
    return hold.tenure.claim.owner();
  }

  @Override
  public LeaseState state() {
    return entry.state();
  }

  @Override
  public boolean isValid() {
    return entry.remaining() > 0;
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, entry.remaining()));
  }

  @Override
  public void ensure(Duration atLeast) {
    checkPromise(atLeast);
    if (remaining().compareTo(atLeast) >= 0 && isValid()) {
      return;
    }
    renew();
    checkRemaining(atLeast);
  }

  /** Refuses what no lease with these options could promise. */
  final void checkPromise(Duration atLeast) {
    Duration most = hold.spec.options.validFor().minus(hold.spec.options.renewEvery());
    if (atLeast.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "a healthy lease on '"
              + lockName()
              + "' is valid for "
              + most
              + " (validFor - renewEvery) at any time; "
              + atLeast
              + " is more than it can promise");
    }
  }

  /** Throws if it ends sooner. */
  final void checkRemaining(Duration atLeast) {
    if (remaining().compareTo(atLeast) < 0) {
      throw isValid()
          ? lost("is valid for only " + Text.of(remaining()) + " more" + hold.untilWhen())
          : over();
    }
  }

  @Override
  public void renew() {
    renewed(engine().await(renewal()));
  }

  /** Asks the store for a renewal. */
  final CompletableFuture<Standing> renewal() {
    if (!isValid()) {
      throw over();
    }
    return engine().keeper().renew(hold.tenure);
  }

  /** Throws if the store's answer is none that a lease can go on with. */
  final void renewed(Standing standing) {
    if (standing instanceof Gone || (standing instanceof Granted && !isValid())) {
      throw over();
    }
    if (!(standing instanceof Granted)) {
      throw engine().noAnswer("the renewal of", lockName(), null);
    }
  }

  /** Changes what is published with the claim; the next renewal tells the store. */
  final void publishing(String value) {
    if (!isValid()) {
      throw over();
    }
    queue().publish(hold, value);
  }

  /** What to throw when it is over. */
  final LeaseLostException over() {
    return entry.isLeft() ? lost("was released") : hold.lostException(engine().ticker());
  }

  private LeaseLostException lost(String what) {
    return new LeaseLostException(lockName(), token(), what);
  }

  @Override
  public Registration onLost(Runnable action) {
    return onLost(action, engine().alarms());
  }

  @Override
  public Registration onLost(Runnable action, Executor executor) {
    return entry.onLost(action, executor);
  }

  @Override
  public boolean release() {
    return engine().await(end());
  }

  @Override
  public CompletableFuture<Boolean> releaseAsync() {
    return calledBack(end());
  }

  /** Continuations of the caller's do not run on the store's threads. */
  final CompletableFuture<Boolean> calledBack(CompletableFuture<Boolean> end) {
    return end.isDone() ? end : end.thenApplyAsync(Function.identity(), engine().callbacks());
  }

  /** Whoever may wait on a callback thread waits for this: it does not need another one. */
  final CompletableFuture<Boolean> end() {
    return entry.end();
  }

  /** See {@link Entry#giveBack}. */
  final CompletableFuture<Boolean> giveBack() {
    return entry.giveBack();
  }

  /** The lease of a reader in place of this one. */
  Lease downgraded() {
    if (entry.reading || hold.spec.kind != Kind.READ_WRITE) {
      throw new IllegalArgumentException("the lease on '" + lockName() + "' is no write lease");
    }
    if (!isValid() || !hold.enterAgain(true)) {
      throw over();
    }
    EngineLease reader = new EngineLease(new Entry(hold, true));
    if (!entry.leave()) { // released by another thread in between
      var unused = reader.releaseAsync();
      throw over();
    }
    CompletableFuture<Boolean> change = entry.exit();
    try {
      if (change != null) {
        engine().await(change);
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, e.getMessage()); // the next renewal tells the store
    }
    return reader;
  }

  @Override
  public LeaseHandle detach() {
    if (hold.spec.kind != Kind.MUTEX) {
      throw new UnsupportedOperationException(
          "a lease of kind " + hold.spec.kind + " cannot be resumed elsewhere; only a mutex can");
    }
    if (!engine().traits().detachable()) {
      throw new UnsupportedOperationException(
          engine() + " ties a lease to its connection; it cannot be resumed elsewhere");
    }
    renew(); // so that whoever resumes it has the whole ttl for it
    queue().detach(hold);
    entry.leave(); // without an exit: the claim stays
    var claim = hold.tenure.claim;
    return new LeaseHandle(lockName(), claim.id(), hold.token, claim.ttl(), claim.owner());
  }

  final boolean isClosed() {
    return entry.isLeft();
  }

  final Tenure tenure() {
    return hold.tenure;
  }

  @Override
  public void close() {
    CompletableFuture<Boolean> change = entry.leave() ? entry.exit() : null;
    if (change == null) {
      return; // closed before, or an outer lease goes on
    }
    try {
      if (!engine().await(change)) {
        LOG.log(Level.WARNING, "The lock ''{0}'' was lost before its release", lockName());
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "Lease[" + lockName() + ", token " + token() + ", " + state() + "]";
  }
}
