package dev.holdfast.testkit.simulation;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockException;
import dev.holdfast.LockOptions;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.testkit.simulation.Holds.Held;
import dev.holdfast.testkit.simulation.Step.Ask;
import dev.holdfast.testkit.simulation.Step.Comeback;
import dev.holdfast.testkit.simulation.Step.Deed;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks for one lock, holds it for a while, and gives it back. Not thread-safe. */
final class Caller {

  private static final int PERMITS = 3;

  private final Simulation world;
  private final ClientProcess client;
  private final Ask ask;
  private final String who;
  private final String lock;
  private final Attempt attempt;
  private final SplittableRandom random;
  private final long answers; // of the store, until it asked
  private final boolean alone; // its client does not hold the lock

  // Mutable state
  private boolean decided;
  private Construct construct;
  private @Nullable Held held; // until it is given back

  Caller(Simulation world, ClientProcess client, Ask ask) {
    this.world = world;
    this.client = client;
    this.ask = ask;
    this.who = client.caller();
    this.lock = ask.locks().get(0);
    this.construct = ask.construct();
    this.random = new SplittableRandom(ask.seed());
    this.answers = client.link.answers();
    this.alone = !world.holds.has(client, lock);
    this.attempt = world.history.asks(who, construct, lock, request(ask));
  }

  static Request request(Ask ask) {
    int capacity =
        switch (ask.construct()) {
          case READ, WRITE -> Integer.MAX_VALUE;
          case PERMIT -> PERMITS;
          default -> 1;
        };
    int weight =
        switch (ask.construct()) {
          case PERMIT -> ask.weight();
          case WRITE -> capacity;
          default -> 1;
        };
    return new Request(
        weight,
        capacity,
        ask.limit(),
        ask.minHold(),
        ask.maxHold() == 0 ? Request.FOR_EVER : ask.maxHold());
  }

  static LockOptions options(Ask ask, LockOptions base) {
    LockOptions options = ask.handOff() ? base : base.handOff(false);
    Comeback comeback = ask.comeback();
    if (comeback.slice() > 0) {
      options = options.handOff(Duration.ofNanos(comeback.slice()));
    }
    if (comeback.keepIdle() != Comeback.NEVER.keepIdle()) {
      options = options.keepIdle(Duration.ofNanos(comeback.keepIdle()));
    }
    if (ask.minHold() > 0) {
      options = options.minHold(Duration.ofNanos(ask.minHold()));
    }
    return ask.maxHold() == 0 ? options : options.maxHold(Duration.ofNanos(ask.maxHold()));
  }

  void start() {
    CompletableFuture<? extends @Nullable Lease> future;
    try {
      future = send();
    } catch (IllegalStateException closed) {
      attempt.is(What.REFUSED, String.valueOf(closed.getMessage()));
      return;
    }
    var unused = future.whenComplete(world.guarded(this::decided));
    if (ask.cancelAfter() > 0) {
      client.clock.schedule(Duration.ofNanos(ask.cancelAfter()), () -> cancel(future));
    }
  }

  private CompletableFuture<? extends @Nullable Lease> send() {
    LockOptions options = options(ask, world.options);
    Duration limit = Duration.ofNanos(Math.max(0, ask.limit()));
    if (construct == Construct.PERMIT) {
      var semaphore = client.locks.semaphore(lock, PERMITS, options);
      return ask.limit() < 0
          ? semaphore.acquireAsync(ask.weight())
          : ask.limit() == 0
              ? semaphore.tryAcquireAsync(ask.weight())
              : semaphore.tryAcquireAsync(ask.weight(), limit);
    }
    var mutex =
        switch (construct) {
          case READ -> client.locks.readWriteLock(lock, options).readLock();
          case WRITE -> client.locks.readWriteLock(lock, options).writeLock();
          default -> client.locks.lock(lock, options);
        };
    return ask.limit() < 0
        ? mutex.acquireAsync()
        : ask.limit() == 0 ? mutex.tryAcquireAsync() : mutex.tryAcquireAsync(limit);
  }

  private void cancel(CompletableFuture<?> future) {
    if (!decided && !client.isGone() && !future.isDone()) {
      decided = true; // the future ends while it is cancelled
      world.stats.happened("cancelled");
      attempt.is(What.CANCELLED);
      future.cancel(true);
    }
  }

  private void decided(@Nullable Lease lease, @Nullable Throwable failure) {
    if (decided) {
      return;
    }
    decided = true;
    if (lease == null) {
      attempt.is(outcome(failure), failure == null ? "" : failure.toString());
      return;
    }
    if (alone && client.link.answers() == answers) {
      world.stats.grantedAgain();
    }
    hold(world.granted(client, lock, attempt, lease, construct));
  }

  static What outcome(@Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Failures.unwrap(failure);
    if (cause == null || cause instanceof LockTimeoutException) {
      return What.BUSY;
    }
    return cause instanceof StoreException ? What.UNKNOWN : What.REFUSED;
  }

  private void hold(Held now) {
    begin(now);
    if (construct != Construct.PERMIT) {
      world.resource.use(client, who, construct, now.lease, random);
    }
    if (ask.deed() != Deed.NONE) {
      client.clock.schedule(Duration.ofNanos(ask.hold() / 2), this::act);
    }
    client.clock.schedule(Duration.ofNanos(ask.hold()), this::release);
    if (ask.maxHold() > 0) {
      world.lookLater(now, ask.maxHold());
    }
  }

  private void begin(Held now) {
    held = now;
    var unused =
        now.lease.onLost(
            () -> {
              if (held == now) {
                now.lost();
              }
            });
  }

  private @Nullable Held giveBack() {
    Held before = client.isGone() ? null : held;
    held = null;
    if (before != null) {
      before.look();
      world.holds.remove(before);
    }
    return before;
  }

  private void release() {
    Held before = giveBack();
    if (before == null) {
      return;
    }
    attempt.is(What.RELEASING);
    var unused =
        before
            .lease
            .releaseAsync()
            .whenComplete(
                (ours, failure) -> {
                  if (failure == null && !client.isGone()) {
                    attempt.is(ours ? What.RELEASED : What.GONE);
                  }
                });
    if (ask.comeback().times() > 0) {
      Duration pause = Duration.ofNanos(random.nextLong(ask.comeback().pause()));
      client.clock.schedule(pause, () -> world.ask(client, ask.again()));
    }
  }

  // ---------------------------------------------------------------- deeds

  private void act() {
    Held now = client.isGone() ? null : held;
    if (now == null) {
      return;
    }
    now.look();
    boolean refusedThen = ask.deed() == Deed.EXTEND || ask.deed() == Deed.DETACH;
    if (now.isOver() && !refusedThen) {
      return;
    }
    world.stats.happened(ask.deed());
    client.link.atOnce(
        () -> {
          try {
            switch (ask.deed()) {
              case RENEW -> now.lease.renew();
              case EXTEND -> extend(now);
              case DOWNGRADE -> downgrade(now);
              case DETACH -> detach(now);
              case NONE, REENTER -> {}
            }
          } catch (LockException | IllegalStateException refused) {
            world.stats.happened(ask.deed() + " refused");
          }
        });
    if (held == now) {
      now.look();
    }
  }

  private void extend(Held now) {
    Duration maxHold = Duration.ofSeconds(40 + random.nextInt(60));
    Duration minHold = Duration.ofSeconds(random.nextInt(10));
    if (!now.isOver()) {
      attempt.extended(Request.mutex().keeping(minHold).holding(maxHold));
      world.lookLater(now, maxHold.toNanos());
    }
    now.lease.extend(maxHold, minHold);
  }

  /** Recorded before it takes effect for others. */
  private void downgrade(Held writing) {
    if (construct != Construct.WRITE) {
      return;
    }
    attempt.is(What.DOWNGRADED);
    construct = Construct.READ;
    held = null; // the write lease is released, and with it its action for a loss
    world.holds.remove(writing);
    try {
      Lease reading =
          client.locks.readWriteLock(lock, options(ask, world.options)).downgrade(writing.lease);
      begin(world.holds.add(client, lock, attempt, reading));
    } catch (LeaseLostException over) {
      begin(world.holds.add(client, lock, attempt, writing.lease));
      throw over;
    }
  }

  private void detach(Held now) {
    if (construct != Construct.MUTEX) {
      return;
    }
    LeaseHandle handle = now.lease.detach();
    held = null;
    attempt.is(What.DETACHED);
    world.holds.remove(now);
    world.attachLater(handle, ask);
  }

  private void attachAgain(LeaseHandle handle) {
    try {
      Lease second = client.locks.attach(handle);
      throw new AssertionError("attached twice: " + second);
    } catch (LockException | IllegalStateException refused) {
      world.stats.happened("second ATTACH refused");
    }
  }

  /** Another client goes on with a detached lease. */
  static void attach(Simulation world, ClientProcess client, LeaseHandle handle, Ask ask) {
    Caller next =
        new Caller(
            world,
            client,
            new Ask(
                ask.at(),
                client.index,
                Construct.MUTEX,
                ask.locks(),
                1,
                0,
                ask.hold(),
                0,
                0,
                false,
                0,
                Deed.NONE,
                Comeback.NEVER,
                ask.seed() + 1));
    next.decided = true;
    client.link.atOnce(
        () -> {
          Lease lease;
          try {
            lease = client.locks.attach(handle);
          } catch (StoreException silent) {
            next.attempt.is(What.UNKNOWN, String.valueOf(silent.getMessage()));
            return;
          } catch (LockException | IllegalStateException | IllegalArgumentException refused) {
            next.attempt.is(What.REFUSED, String.valueOf(refused.getMessage()));
            return;
          }
          world.stats.happened("ATTACH");
          world.holds.look(next.lock);
          next.attempt.attached(lease.token());
          next.hold(world.holds.add(client, next.lock, next.attempt, lease));
          if (next.random.nextInt(4) == 0) {
            next.attachAgain(handle);
          }
        });
  }
}
