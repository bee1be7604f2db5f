package dev.holdfast.testkit.simulation;

import dev.holdfast.Lease;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.testkit.simulation.Holds.Held;
import dev.holdfast.testkit.simulation.Step.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks for several locks as one, holds them, and gives them back. Not thread-safe. */
final class Several {

  private final Simulation world;
  private final ClientProcess client;
  private final Ask ask;
  private final Map<String, Attempt> attempts = new LinkedHashMap<>();

  // Mutable state
  private boolean decided;
  private boolean done;

  Several(Simulation world, ClientProcess client, Ask ask) {
    this.world = world;
    this.client = client;
    this.ask = ask;
    String who = client.caller();
    for (String lock : ask.locks()) {
      attempts.put(lock, world.history.asks(who, Construct.SEVERAL, lock, Caller.request(ask)));
    }
  }

  void start() {
    CompletableFuture<? extends @Nullable MultiLease> future;
    try {
      future = send();
    } catch (IllegalStateException closed) {
      all(What.REFUSED);
      return;
    }
    var unused = future.whenComplete(world.guarded(this::decided));
    if (ask.cancelAfter() > 0) {
      client.clock.schedule(Duration.ofNanos(ask.cancelAfter()), () -> cancel(future));
    }
  }

  private CompletableFuture<? extends @Nullable MultiLease> send() {
    MultiLock locks = client.locks.lockAll(ask.locks(), Caller.options(ask, world.options));
    MultiLock chosen = ask.weight() > 1 ? locks.startingOver() : locks;
    return ask.limit() < 0
        ? chosen.acquireAsync()
        : ask.limit() == 0
            ? chosen.tryAcquireAsync()
            : chosen.tryAcquireAsync(Duration.ofNanos(ask.limit()));
  }

  private void all(What what) {
    attempts.values().forEach(attempt -> attempt.is(what));
  }

  private void cancel(CompletableFuture<?> future) {
    if (!decided && !client.isGone() && !future.isDone()) {
      decided = true; // the future ends while it is cancelled
      all(What.CANCELLED);
      future.cancel(true);
    }
  }

  private void decided(@Nullable MultiLease lease, @Nullable Throwable failure) {
    if (decided) {
      return;
    }
    decided = true;
    if (lease == null) {
      all(Caller.outcome(failure));
      return;
    }
    List<Held> parts = new ArrayList<>();
    for (Map.Entry<String, Attempt> entry : attempts.entrySet()) {
      Lease part = lease.part(entry.getKey());
      Held held = world.granted(client, entry.getKey(), entry.getValue(), part, Construct.SEVERAL);
      parts.add(held);
      var unused =
          part.onLost(
              () -> {
                if (!done) {
                  held.lost();
                }
              });
    }
    client.clock.schedule(Duration.ofNanos(ask.hold()), () -> release(lease, parts));
  }

  private void release(MultiLease lease, List<Held> parts) {
    if (done || client.isGone()) {
      return;
    }
    parts.forEach(Held::look);
    done = true;
    all(What.RELEASING);
    parts.forEach(world.holds::remove);
    var unused =
        lease
            .releaseAsync()
            .whenComplete(
                (ours, failure) -> {
                  if (failure == null && ours && !client.isGone()) {
                    all(What.RELEASED);
                  }
                });
  }
}
