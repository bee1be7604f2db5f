package dev.holdfast.engine;

import static dev.holdfast.PrintableText.escape;
import static dev.holdfast.PrintableText.quote;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.callback.Text;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.HoldTransitions;
import dev.holdfast.engine.state.Transitions;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** The handle on one entry into a {@link Hold}, which counts it already. Thread-safe. */
public class EngineLease implements Lease, Runner.Held {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  @SuppressWarnings("rawtypes") // there is no class literal of a generic type
  private static final AtomicReferenceFieldUpdater<EngineLease, @Nullable CompletableFuture> END =
      AtomicReferenceFieldUpdater.newUpdater(EngineLease.class, CompletableFuture.class, "end");

  final Engine engine;
  final LockShell shell;
  final Hold hold;
  final boolean reading;

  @SuppressWarnings("unused") // keeps the hold from being taken for abandoned
  private final @Nullable Object anchor;

  // Mutable state
  private volatile @Nullable CompletableFuture<Boolean> end; // how it ends, once it does
  private volatile @Nullable Object key; // what its actions are known by, once it has any
  private volatile boolean apart; // left while the hold went on: that is others' business now

  /** In the place of another one, which is not used any more. */
  protected EngineLease(EngineLease other) {
    this(other.engine, other.shell, other.hold, other.reading);
  }

  EngineLease(Engine engine, LockShell shell, Hold hold, boolean reading) {
    this.engine = engine;
    this.shell = shell;
    this.hold = hold;
    this.reading = reading;
    Object known = hold.anchor;
    this.anchor =
        known instanceof WeakReference<?>
            ? shell.ask((state, now, out) -> hold.anchor()) // it was looked at before
            : known;
  }

  @Override
  public String lockName() {
    return shell.state.name;
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
    LeaseState state = hold.state(engine.now());
    // A nested lease is released although its thread still holds the lock.
    return isClosed() && (apart || state != LeaseState.LOST) ? LeaseState.RELEASED : state;
  }

  @Override
  public boolean isValid() {
    return remainingNanos() > 0;
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, remainingNanos()));
  }

  private long remainingNanos() {
    return end != null ? 0 : hold.remaining(engine.now());
  }

  // ---------------------------------------------------------------- renewing

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
  public final void checkPromise(Duration atLeast) {
    Duration most = hold.spec.options.validFor().minus(hold.spec.options.renewEvery());
    if (atLeast.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          ("a healthy lease on %s is valid for %s (validFor - renewEvery) at any time;"
                  + " %s is more than it can promise")
              .formatted(quote(lockName()), most, atLeast));
    }
  }

  /** Throws if it ends sooner. */
  public final void checkRemaining(Duration atLeast) {
    if (remaining().compareTo(atLeast) < 0) {
      String until = hold.isLimited() ? ", until its maxHold" : "";
      throw isValid()
          ? lost("is valid for only " + Text.of(remaining()) + " more" + until)
          : over();
    }
  }

  @Override
  public void renew() {
    renewed(engine.await(renewal()));
  }

  /** Asks the store for a renewal. */
  public final CompletableFuture<Standing> renewal() {
    if (!isValid()) {
      throw over();
    }
    return engine.renewals.renew(hold.tenure, shell);
  }

  /** Throws if the store's answer is none that a lease can go on with. */
  public final void renewed(Standing standing) {
    if (!isValid()) {
      throw over(); // whatever the store says, or does not
    }
    if (!(standing instanceof Granted)) {
      Throwable cause = standing instanceof Unknown unknown ? unknown.cause() : null;
      throw engine.context.unanswered("the renewal of", lockName(), cause);
    }
  }

  @Override
  public void extend(@Nullable Duration maxHold, Duration minHold) {
    LockOptions options = LockOptions.defaults().ttl(hold.spec.options.ttl()).minHold(minHold);
    if (maxHold != null) {
      options = options.maxHold(maxHold);
    }
    engine.check(hold.spec.kind, options);
    Boolean done =
        isClosed()
            ? null
            : shell.ask(
                (state, now, out) -> HoldTransitions.extended(hold, maxHold, minHold, now, out));
    if (!Boolean.TRUE.equals(done)) {
      throw over();
    }
    renew(); // the store may have been asked for less life than the new limit allows
  }

  /** Changes what is published with the claim; the next renewal tells the store. */
  protected final void publishing(String value) {
    if (!isValid()) {
      throw over();
    }
    shell.on((state, now, out) -> HoldTransitions.published(hold, value));
  }

  /** What is published with the claim. */
  protected final @Nullable String published() {
    return shell.ask((state, now, out) -> hold.tenure.claim.value());
  }

  /** Keeps the lock taken until this reading of the monotonic clock, though it is released. */
  public final void keepUntil(long nanos) {
    shell.on((state, now, out) -> HoldTransitions.keptUntil(hold, nanos));
  }

  /** What to throw when it is over. */
  @Override
  public final LeaseLostException over() {
    return isClosed() ? lost("was released") : hold.lostException(engine.now());
  }

  /** What to throw when the store no longer had the claim at its release. */
  @Override
  public final LeaseLostException gone() {
    return hold.lostException(engine.now());
  }

  private LeaseLostException lost(String what) {
    return new LeaseLostException(lockName(), token(), what);
  }

  // ---------------------------------------------------------------- loss

  @Override
  public Registration onLost(Runnable action) {
    return onLost(action, engine.alarms());
  }

  @Override
  public Registration onLost(Runnable action, Executor executor) {
    if (apart) {
      return Registration.NONE;
    }
    Object known = key;
    if (known == null) {
      known = new Object(); // not the lease itself, which may be forgotten
      key = known;
    }
    Registration registration = whenLost(new Hold.Action(action, executor, known));
    if (apart) { // left in between
      registration.close();
    }
    return registration;
  }

  /** Keeps an action for the loss of the hold, or runs it if the loss has come. */
  private Registration whenLost(Hold.Action action) {
    Boolean kept = shell.ask((state, now, out) -> HoldTransitions.expected(hold, action, now));
    if (Boolean.TRUE.equals(kept)) {
      return () -> shell.on((state, now, out) -> hold.drop(action));
    }
    if (hold.state(engine.now()) == LeaseState.LOST) {
      shell.run(action);
    }
    return Registration.NONE;
  }

  @Override
  public void unbind() {
    if (isClosed()) {
      return; // the outer lease is not its own
    }
    shell.on((state, now, out) -> HoldTransitions.unbound(state, hold));
  }

  // ---------------------------------------------------------------- the end

  @Override
  public final boolean isClosed() {
    return end != null;
  }

  /**
   * Ends this lease; the future hears what the store says to that, if it changes anything there.
   */
  private void exit(CompletableFuture<Boolean> hears, boolean over) {
    Hold.Exit exit = hold.exit(reading);
    if (exit != Hold.Exit.LAST && goesOn()) {
      apart = true;
      Object known = key;
      if (known != null) {
        shell.on((state, now, out) -> hold.dropActionsOf(known));
      }
    }
    switch (exit) {
      case LAST -> release(hears);
      case DOWNGRADED -> readOn(hears);
      case NESTED -> hears.complete(!over);
    }
  }

  private void release(CompletableFuture<Boolean> hears) {
    hold.left = hears;
    shell.on((state, now, out) -> HoldTransitions.released(state, hold, now, out));
    if (hold.tenure.left != hears) { // it was handed off, or lost before
      hears.complete(hold.ours);
    }
  }

  /** Readers of this client are granted at once, others when the store has confirmed it. */
  private void readOn(CompletableFuture<Boolean> hears) {
    shell.on((state, now, out) -> HoldTransitions.downgraded(state, hold, now, out));
    var unused =
        engine
            .renewals
            .renew(hold.tenure, shell)
            .thenAccept(
                standing -> {
                  shell.on(Transitions::roomMade);
                  if (standing instanceof Unknown unknown) {
                    hears.completeExceptionally(
                        engine.context.noAnswer("the downgrade of", lockName(), unknown.cause()));
                  } else {
                    hears.complete(standing instanceof Granted);
                  }
                });
  }

  /** A clock costs more than all the rest: it is read only where a loss would be noticed. */
  private boolean goesOn() {
    return key != null || hold.isLimited()
        ? hold.remaining(engine.now()) > 0
        : !hold.isOver() && !hold.tenure.wasSeenOver();
  }

  @Override
  public boolean release() {
    return isClosed() ? false : engine.await(end());
  }

  @Override
  public CompletableFuture<Boolean> releaseAsync() {
    return isClosed() ? CompletableFuture.completedFuture(false) : engine.calledBack(end());
  }

  /** Ends it, once; whether the lock was ours until then. */
  @Override
  public CompletableFuture<Boolean> end() {
    return end(hold.remaining(engine.now()) <= 0); // first: what is seen to be over stays so
  }

  private CompletableFuture<Boolean> end(boolean over) {
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    if (!END.compareAndSet(this, null, mine)) {
      return Objects.requireNonNull(end); // a second caller gets the same answer
    }
    exit(mine, over);
    return mine;
  }

  /** Ends it without its minHold: nobody has seen this lease, so nothing was done under it. */
  public final CompletableFuture<Boolean> giveBack() {
    shell.on((state, now, out) -> HoldTransitions.unused(hold));
    return end();
  }

  @Override
  public void close() {
    if (isClosed()) {
      return;
    }
    boolean over = hold.isOver(); // otherwise a loss is logged when it is noticed
    try {
      if (!engine.await(end(over)) && over && !hold.endedWithClient) {
        LOG.log(Level.WARNING, "The lock {0} was lost before its release", quote(lockName()));
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, e.getMessage());
    }
  }

  @Override
  public LeaseHandle detach() {
    Resumption.check(engine, hold.spec.kind);
    renew(); // so that the process that resumes it has the whole ttl
    LeaseHandle handle = Resumption.detach(engine, shell, hold);
    END.compareAndSet(this, null, CompletableFuture.completedFuture(true)); // the claim stays
    return handle;
  }

  @Override
  public final boolean isEndedWithClient() {
    return hold.endedWithClient;
  }

  @Override
  public String toString() {
    return "Lease[" + escape(lockName()) + ", token " + token() + ", " + state() + "]";
  }
}
