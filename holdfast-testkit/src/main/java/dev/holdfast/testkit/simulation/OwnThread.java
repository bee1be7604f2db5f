package dev.holdfast.testkit.simulation;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.testkit.simulation.Holds.Held;
import dev.holdfast.testkit.simulation.Step.Ask;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a client, which takes a lock by blocking calls and enters it again. It is the
 * thread of the simulation, so nothing else happens during a call: calls are answered at once, and
 * its locks are used in no other way, so that none has to wait. Not thread-safe.
 */
final class OwnThread {

  private final Simulation world;
  private final ClientProcess client;
  private final Ask ask;
  private final SplittableRandom random;

  OwnThread(Simulation world, ClientProcess client, Ask ask) {
    this.world = world;
    this.client = client;
    this.ask = ask;
    this.random = new SplittableRandom(ask.seed());
  }

  void enter() {
    client.link.atOnce(
        () -> {
          try {
            Attempt outer = client.entered;
            if (outer == null) {
              first();
            } else if (!client.unbound) {
              again(outer, Objects.requireNonNull(client.enteredHold));
            }
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private Construct construct(String lock) {
    return lock.equals(Script.OWN)
        ? Construct.MUTEX
        : random.nextBoolean() ? Construct.READ : Construct.WRITE;
  }

  private DistributedLock as(Construct construct, String lock, LockOptions options) {
    return switch (construct) {
      case READ -> client.locks.readWriteLock(lock, options).readLock();
      case WRITE -> client.locks.readWriteLock(lock, options).writeLock();
      default -> client.locks.lock(lock, options);
    };
  }

  private void first() throws InterruptedException {
    String lock = ask.locks().get(0);
    Construct construct = construct(lock);
    int capacity = construct == Construct.MUTEX ? 1 : Integer.MAX_VALUE;
    Request plain = Caller.request(ask);
    Request request =
        new Request(
            construct == Construct.READ ? 1 : capacity,
            capacity,
            plain.limit(),
            plain.minHold(),
            plain.maxHold());
    Attempt attempt = world.history.asks(client.caller(), construct, lock, request);
    Lease lease;
    try {
      lease = as(construct, lock, Caller.options(ask, world.options)).tryAcquire();
    } catch (StoreException | IllegalStateException failure) {
      attempt.is(Caller.outcome(failure), failure.toString());
      return;
    }
    if (lease == null) {
      attempt.is(What.BUSY);
      return;
    }
    Held held = world.granted(client, lock, attempt, lease, construct);
    client.entered = attempt;
    client.enteredHold = held;
    client.enteredKept = ask.minHold();
    client.unbound = construct == Construct.MUTEX && random.nextInt(10) == 0;
    if (client.unbound) {
      world.stats.happened("unbind");
      lease.unbind();
    }
    var unused = lease.onLost(held::lost);
    push(lease);
  }

  private void again(Attempt outer, Held held) throws InterruptedException {
    // A thread that reads may not write, and neither may take it as another kind of lock.
    held.look();
    boolean mistaken =
        held.lock.equals(Script.OWN_PAGES) && !held.isOver() && random.nextInt(6) == 0;
    Construct construct = mistaken ? Construct.MUTEX : construct(held.lock);
    long kept = Math.max(client.enteredKept, ask.minHold());
    Lease lease;
    try {
      LockOptions options = world.options.minHold(Duration.ofNanos(ask.minHold()));
      lease = as(construct, held.lock, options).tryAcquire();
    } catch (LeaseLostException | IllegalStateException refused) {
      world.stats.happened("re-entry refused");
      return;
    }
    if (lease != null) {
      world.stats.happened("re-entry");
      outer.reentered(lease.token());
      if (kept > 0) {
        client.enteredKept = kept;
        outer.extended(Request.mutex().keeping(Duration.ofNanos(kept)));
      }
      push(lease);
      if (held.lock.equals(Script.OWN) && random.nextInt(6) == 0) {
        detachNested(lease);
      }
    }
  }

  private void detachNested(Lease lease) {
    try {
      throw new AssertionError("detached though nested: " + lease.detach());
    } catch (LockException | IllegalStateException refused) {
      world.stats.happened("nested DETACH refused");
    }
  }

  private void push(Lease lease) {
    client.entries.push(lease);
    client.clock.schedule(Duration.ofNanos(ask.hold()), this::leave);
  }

  /** Closes the innermost lease; the last one gives the lock back. */
  private void leave() {
    @Nullable Lease lease = client.isGone() ? null : client.entries.poll();
    if (lease == null) {
      return;
    }
    if (!client.entries.isEmpty()) {
      client.link.atOnce(lease::close);
      return;
    }
    Attempt attempt = Objects.requireNonNull(client.entered);
    Held held = Objects.requireNonNull(client.enteredHold);
    held.look();
    attempt.is(What.RELEASING);
    world.holds.remove(held);
    client.entered = null;
    client.enteredHold = null;
    client.link.atOnce(
        () -> {
          try {
            attempt.is(lease.release() ? What.RELEASED : What.GONE);
          } catch (StoreException silent) {
            world.stats.happened("release unanswered");
          }
        });
  }
}
