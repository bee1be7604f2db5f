package dev.holdfast.engine;

import dev.holdfast.LeaseState;
import dev.holdfast.LockException;
import dev.holdfast.Registration;
import dev.holdfast.engine.state.Effects;
import dev.holdfast.engine.state.Effects.Effect;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockState;
import dev.holdfast.engine.state.Moment;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Shell;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.engine.state.Transitions;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * Owns the mutex of one lock within a client. Each event is one transition of the state under it;
 * what the transition decided is carried out after the mutex is let go, so no call leaves this
 * class under it. Under it, events are published and leaves counted: both keep their order so.
 */
final class LockShell implements Shell {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  final LockState state;
  private final Locks locks;
  final Context context;
  private final ReentrantLock mutex = new ReentrantLock();
  private final Carrier carrier;

  LockShell(String name, Locks locks) {
    this.locks = locks;
    this.context = locks.context();
    this.state = new LockState(name, this, locks.shared());
    this.carrier = new Carrier(this, locks);
  }

  /**
   * A caller asks for the lock.
   *
   * @return false if this shell is retired and another one must be made
   */
  boolean submitted(Request request) {
    Effects out = effects();
    Moment now = lock();
    try {
      if (state.isRetired()) {
        return false;
      }
      if (locks.isClosed()) {
        Transitions.clientClosed(state, Set.of(), now, out);
      }
      Transitions.submitted(state, request, now, out);
      announce(out);
    } catch (RuntimeException | Error e) {
      broken(e, now, out);
      request.decided(unexpected(e));
    } finally {
      mutex.unlock();
    }
    carryOut(out, now);
    return true;
  }

  /** A caller does not want the lock any more; see {@link Transitions#gaveUp}. */
  boolean gaveUp(Request request, String how) {
    boolean[] undecided = {false};
    on((now, out) -> undecided[0] = Transitions.gaveUp(state, request, how, now, out));
    return undecided[0];
  }

  void limitReached(Request request) {
    on((now, out) -> Transitions.limitReached(state, request, now, out));
  }

  /** A signalled thread comes back for the tenure that was idle. */
  void cameBack(Request request) {
    on((now, out) -> Transitions.cameBack(state, request, now, out));
  }

  @Nullable Hold heldBy(Thread thread) {
    return read(() -> state.heldBy(thread));
  }

  @Override
  public void ticked(Tenure tenure) {
    on((now, out) -> Transitions.ticked(state, tenure, now, out));
    locks.leaks().look(this, tenure);
  }

  @Override
  public @Nullable Claim refreshing(Tenure tenure) {
    Claim[] sent = {null};
    on((now, out) -> sent[0] = Transitions.refreshing(state, tenure, now));
    return sent[0];
  }

  @Override
  public void refreshAnswered(Tenure tenure, Claim asked, Standing standing, Moment sent) {
    on((now, out) -> Transitions.refreshAnswered(state, tenure, asked, standing, sent, now, out));
  }

  void leaveAnswered(Tenure tenure, Left left) {
    if (!read(state::isRetired)) {
      on((now, out) -> Transitions.leaveAnswered(state, tenure, left, now, out));
    }
    LockShell current = locks.find(state.name());
    if (current != null && current != this && left != Left.UNKNOWN) {
      current.roomMade();
    }
  }

  void roomMade() {
    on((now, out) -> Transitions.roomMade(state, now, out));
  }

  void hinted() {
    on((now, out) -> Transitions.hinted(state, now, out));
  }

  void joinAnswered(
      Tenure tenure, @Nullable JoinAnswer answer, @Nullable Throwable failure, Moment sent) {
    if (answer == null) {
      on((now, out) -> Transitions.joinFailed(state, tenure, failure, now, out));
    } else {
      on((now, out) -> Transitions.joinAnswered(state, tenure, answer, sent, now, out));
    }
  }

  void retryDue(Tenure tenure) {
    on((now, out) -> Transitions.retryDue(state, tenure, now, out));
  }

  void sliceEnded() {
    on((now, out) -> Transitions.sliceEnded(state, now, out));
  }

  @Override
  public void abandoned(Hold hold) {
    on((now, out) -> Transitions.abandoned(hold));
  }

  /**
   * The last lease of a holder is released.
   *
   * @return whether the lock was ours until now
   */
  CompletableFuture<Boolean> released(Hold hold) {
    boolean[] ours = {false};
    on((now, out) -> ours[0] = Transitions.released(state, hold, now, out));
    CompletableFuture<Left> left = hold.tenure.left();
    if (!ours[0] || left == null) {
      return CompletableFuture.completedFuture(ours[0]);
    }
    // After the effects: the store may have answered by now.
    return left.getNow(Left.UNKNOWN) != Left.UNKNOWN
        ? CompletableFuture.completedFuture(left.join() == Left.LEFT)
        : left.thenApply(answer -> wasOurs(hold.tenure, answer));
  }

  private boolean wasOurs(Tenure tenure, Left left) {
    if (left == Left.UNKNOWN) {
      throw context.unanswered("the release of", state.name(), tenure.leaveFailure);
    }
    return left == Left.LEFT;
  }

  /**
   * The last write lease of a holder is released, and it reads on. Readers of this client come in
   * at once, others when the store has heard of it.
   *
   * @return whether the lock was ours until the store has
   */
  CompletableFuture<Boolean> downgraded(Hold hold) {
    on((now, out) -> Transitions.downgraded(state, hold, now, out));
    return locks
        .renewals()
        .renew(hold.tenure)
        .thenApply(
            standing -> {
              roomMade();
              if (standing instanceof dev.holdfast.spi.Unknown unknown) {
                throw context.noAnswer("the downgrade of", state.name(), unknown.cause());
              }
              return standing instanceof Granted;
            });
  }

  void published(Hold hold, String value) {
    on((now, out) -> Transitions.published(hold, value));
  }

  boolean extended(Hold hold, @Nullable Duration maxHold, Duration minHold) {
    boolean[] done = {false};
    on((now, out) -> done[0] = Transitions.extended(hold, maxHold, minHold, now, out));
    return done[0];
  }

  void unbound(Hold hold) {
    on((now, out) -> Transitions.unbound(state, hold));
  }

  void keptLonger(Hold hold, long minHoldNanos) {
    on((now, out) -> Transitions.keptLonger(hold, minHoldNanos, now));
  }

  /** Keeps an action for the loss of a hold, or runs it if the loss has come. */
  Registration onLost(Hold hold, Hold.Action action) {
    Moment now = lock();
    try {
      if (hold.remaining(now) > 0) {
        hold.keep(action);
        return () -> guarded(() -> hold.drop(action));
      }
      if (hold.state(now) != LeaseState.LOST) {
        return Registration.NONE;
      }
    } finally {
      mutex.unlock();
    }
    carrier.run(action);
    return Registration.NONE;
  }

  private <T extends @Nullable Object> T read(Supplier<T> reading) {
    mutex.lock();
    try {
      return reading.get();
    } finally {
      mutex.unlock();
    }
  }

  /** Changes what the mutex guards, without any effect. */
  void guarded(Runnable change) {
    mutex.lock();
    try {
      change.run();
    } finally {
      mutex.unlock();
    }
  }

  /** Goes on with a claim that stands at the store; null if this shell is retired. */
  @Nullable Hold attached(Request request, Claim claim, Granted grant, Moment sent) {
    Hold[] hold = new Hold[1];
    apply(
        (now, out) -> {
          if (!state.isRetired()) {
            hold[0] = Transitions.attached(state, request, claim, grant, sent, now, out);
          }
        });
    if (hold[0] != null && context.store().traits().pushes()) {
      carrier.observe();
    }
    return hold[0];
  }

  void detached(Hold hold) {
    apply((now, out) -> Transitions.detached(state, hold, now, out));
  }

  /**
   * The client closes.
   *
   * @return the leaves that were decided, for the caller to send in large batches
   */
  List<Effects.Leave> closed(Set<Tenure> kept) {
    Effects out = effects();
    Moment now = decide((at, to) -> Transitions.clientClosed(state, kept, at, to), out);
    List<Effects.Leave> leaves = carrier.carryOutButLeaves(out, now);
    context.events().flush();
    return leaves;
  }

  @FunctionalInterface
  private interface Event {
    void happens(Moment now, Effects out);
  }

  /** A transition that may refuse: what it throws is for the caller. */
  private void apply(Event event) {
    RuntimeException[] failure = {null};
    on(
        (now, out) -> {
          try {
            event.happens(now, out);
          } catch (LockException | IllegalStateException refused) {
            failure[0] = refused;
          } catch (RuntimeException | Error e) {
            failure[0] = unexpected(e);
            throw e;
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  private void on(Event event) {
    Effects out = effects();
    carryOut(out, decide(event, out));
  }

  private Moment decide(Event event, Effects out) {
    Moment now = lock();
    try {
      event.happens(now, out);
      announce(out);
    } catch (RuntimeException | Error e) {
      broken(e, now, out);
    } finally {
      mutex.unlock();
    }
    return now;
  }

  private Effects effects() {
    return new Effects(context.events().isOn());
  }

  /** Locks, then reads the clock: no event is dated before one that was handled earlier. */
  private Moment lock() {
    mutex.lock();
    try {
      return Moment.now(context.ticker());
    } catch (RuntimeException | Error e) {
      mutex.unlock();
      throw e;
    }
  }

  /** What is done under the mutex, because its order matters; none of it calls out. */
  private void announce(Effects out) {
    Effect effect;
    for (int i = 0; (effect = out.get(i)) != null; i++) {
      if (effect instanceof Effects.Watch watch) {
        locks.renewals().watch(watch.tenure());
      } else if (effect instanceof Effects.Forget forget) {
        locks.renewals().forget(forget.tenure());
      } else if (effect instanceof Effects.Leave) {
        locks.leaves().decided();
      } else if (effect instanceof Effects.Tell tell) {
        context.events().publish(tell.event());
      } else if (effect instanceof Effects.Retire) {
        locks.retire(this);
      }
    }
  }

  private void broken(Throwable cause, Moment now, Effects out) {
    LOG.log(Level.ERROR, Text.unexpected(state.name()), cause);
    Transitions.broken(state, unexpected(cause), now, out);
    announce(out);
  }

  private RuntimeException unexpected(Throwable cause) {
    return new IllegalStateException(Text.unexpected(state.name()), cause);
  }

  private void carryOut(Effects out, Moment now) {
    if (out.get(0) == null) {
      return;
    }
    Inbox inbox = Inbox.current();
    boolean outermost = inbox.open();
    try {
      Effect effect;
      for (int i = 0; (effect = out.get(i)) != null; i++) {
        carrier.carryOut(effect, now);
      }
    } finally {
      if (outermost) {
        inbox.drain();
      }
    }
    if (out.telling) {
      context.events().flush();
    }
  }
}
