package dev.holdfast.engine;

import dev.holdfast.engine.state.Effects.Leave;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims out of the store. The first answer is reported; without one the leave is owed, and
 * repeated in the background, together with the others, until the claim must have died by itself.
 * Thread-safe.
 *
 * <p>A leave counts as under way from the moment it is decided, so that the end of the client waits
 * for it. A store that is silent cannot make them pile up: of the claims that were never granted at
 * most {@value #MOST} are under way and as many owed, and {@value #MOST_RELEASES} releases are
 * owed; beyond that the oldest end by their ttl.
 */
final class Leaves {

  private static final int MOST = 1024;
  private static final int MOST_RELEASES = 3072;
  private static final int BATCH = 256;
  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);

  private final Context context;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger withTombstone = new AtomicInteger(); // under way with a tombstone
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final ArrayDeque<Leaving> owed = new ArrayDeque<>();
  private final ArrayDeque<Leaving> owedWithTombstone = new ArrayDeque<>(); // never granted
  private Duration retry = FIRST_RETRY;
  private boolean planned;
  private volatile boolean closing;

  Leaves(Context context) {
    this.context = context;
  }

  /** A leave was decided and will be sent. Called under the mutex of its lock. */
  void decided() {
    underWay.incrementAndGet();
  }

  /** Sends a leave that was {@link #decided}. */
  void send(LockShell shell, Leave leave) {
    long now = context.ticker.nanoTime();
    Leaving leaving = new Leaving(shell, leave, now);
    if (leave.tombstone() && withTombstone.get() >= MOST) {
      answered(leaving, Left.UNKNOWN, null);
      ended(1);
    } else {
      send(List.of(leaving), now);
    }
  }

  /** The client closes: sends many that were {@link #decided}, with those that are owed. */
  CompletableFuture<Void> sendAll(Map<Leave, LockShell> leaves) {
    decided(); // so that nothing is drained before all of them are sent
    closing = true;
    List<Leaving> all = takeOwed();
    long now = context.ticker.nanoTime();
    leaves.forEach((leave, shell) -> all.add(new Leaving(shell, leave, now)));
    sendBatches(all);
    ended(1);
    return drained;
  }

  private void sendBatches(List<Leaving> all) {
    for (int from = 0; from < all.size(); from += BATCH) {
      List<Leaving> batch = all.subList(from, Math.min(from + BATCH, all.size()));
      send(batch, context.ticker.nanoTime());
    }
  }

  private void send(List<Leaving> batch, long sent) {
    Deadline deadline = Deadline.at(sent + context.operationTimeout.toNanos(), context.ticker);
    List<Departure> departures =
        batch.size() == 1
            ? List.of(batch.get(0).departure(sent)) // the usual case, without a stream
            : batch.stream().map(leaving -> leaving.departure(sent)).toList();
    count(batch, 1);
    context.answers.ask(
        () -> context.store.leave(departures, deadline),
        context.operationTimeout,
        (answers, failure) -> {
          context.events.storeCall("leave", lock(batch), sent, failure(answers, failure));
          count(batch, -1);
          for (int i = 0; i < batch.size(); i++) {
            Left left = answers == null ? null : answers.get(departures.get(i).claim());
            answered(batch.get(i), left == null ? Left.UNKNOWN : left, failure);
          }
          ended(batch.size());
        });
  }

  /** The name of the lock, empty for several. */
  private static String lock(List<Leaving> batch) {
    String first = batch.get(0).shell().state.name;
    return batch.size() == 1
            || batch.stream().allMatch(leaving -> leaving.shell().state.name.equals(first))
        ? first
        : "";
  }

  private void count(List<Leaving> batch, int change) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.get(i).leave().tombstone()) {
        withTombstone.addAndGet(change);
      }
    }
  }

  private @Nullable Throwable failure(
      @Nullable Map<Claim, Left> answers, @Nullable Throwable failure) {
    return answers != null && answers.containsValue(Left.UNKNOWN)
        ? context.noAnswer("the release of", "", null)
        : failure;
  }

  private void answered(Leaving leaving, Left left, @Nullable Throwable cause) {
    Tenure tenure = leaving.leave().tenure();
    // Before the caller hears of it: a claim that it makes next needs no hint of this one.
    leaving.shell().leaveAnswered(tenure, left);
    CompletableFuture<Boolean> waited = tenure.left;
    if (left == Left.UNKNOWN) {
      owe(leaving);
      if (waited != null) {
        String name = leaving.shell().state.name;
        waited.completeExceptionally(context.unanswered("the release of", name, cause));
      }
    } else if (waited != null) {
      waited.complete(left == Left.LEFT);
    }
  }

  // ---------------------------------------------------------------- what is owed

  private void owe(Leaving leaving) {
    // Twice the ttl: the join of a claim with a tombstone may itself have been late by as much.
    long age = context.ticker.nanoTime() - leaving.since();
    if (closing || age >= 2 * leaving.leave().tenure().claim.ttl().toNanos()) {
      return;
    }
    mutex.lock();
    try {
      ArrayDeque<Leaving> kind = leaving.leave().tombstone() ? owedWithTombstone : owed;
      if (kind.size() == (kind == owed ? MOST_RELEASES : MOST)) {
        kind.poll();
      }
      kind.add(leaving);
      if (!planned) {
        planned = true;
        context.ticker.schedule(retry, this::repeat);
        retry =
            retry.multipliedBy(2).compareTo(LONGEST_RETRY) < 0
                ? retry.multipliedBy(2)
                : LONGEST_RETRY;
      }
    } finally {
      mutex.unlock();
    }
    if (closing) { // in this moment: now or never
      sendBatches(takeOwed());
    }
  }

  private void repeat() {
    sendBatches(takeOwed());
    mutex.lock();
    try {
      boolean none = owed.isEmpty() && owedWithTombstone.isEmpty() && withTombstone.get() == 0;
      retry = none ? FIRST_RETRY : retry;
    } finally {
      mutex.unlock();
    }
  }

  /** What is owed counts as under way from here on. */
  private List<Leaving> takeOwed() {
    mutex.lock();
    try {
      List<Leaving> all = new ArrayList<>(owed);
      all.addAll(owedWithTombstone);
      owed.clear();
      owedWithTombstone.clear();
      planned = false;
      underWay.addAndGet(all.size());
      return all;
    } finally {
      mutex.unlock();
    }
  }

  private void ended(int count) {
    if (underWay.addAndGet(-count) == 0 && closing) {
      drained.complete(null);
    }
  }

  /** A claim on its way out, since when. */
  private record Leaving(LockShell shell, Leave leave, long since) {
    /** As it is sent then: what has passed of a linger is over, though nobody answered. */
    Departure departure(long now) {
      Duration linger = leave.linger();
      if (now - since > 0 && !linger.isZero()) {
        Duration left = linger.minusNanos(now - since);
        linger = left.isNegative() ? Duration.ZERO : left;
      }
      return new Departure(leave.tenure().claim, linger, leave.tombstone());
    }
  }
}
