package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.engine.callback.Answers;
import dev.holdfast.engine.callback.FlightRecord;
import dev.holdfast.engine.state.Call;
import dev.holdfast.engine.state.HoldTransitions;
import dev.holdfast.engine.state.Phase;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.engine.state.Transitions;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * All tenures of a client that concern the store, in one map. One task of the ticker looks at all
 * of them and schedules itself again for the earliest moment at which anything happens: the answer
 * to a join or a renewal is overdue, a refresh is due, a deadline passes. Adding a tenure costs an
 * entry in the map and, only if its moment is earlier than the planned one, a new plan; removing
 * one costs nothing else. Whatever is due within the next quarter of its period goes along in the
 * same batch, so that leases taken at random times soon renew together.
 *
 * The deadline does not depend on any answer: a hung refresh delays nothing here.
 */
final class Renewals {

  private static final long UNPLANNED = Long.MAX_VALUE;
  private static final long AFTER_FAILURE_NANOS = 1_000_000_000;

  /** A refresh that is about to be sent. */
  private record Sending(LockShell shell, Call call) {}

  private final Context context;
  private final Leaks leaks;
  private final Ticker ticker;
  private final Map<Tenure, LockShell> tenures = new ConcurrentHashMap<>();
  private final ReentrantLock mutex = new ReentrantLock();
  private final long origin;

  // Mutable state, the plan guarded by mutex
  private volatile long plannedAt = UNPLANNED; // counted from origin
  private Registration plan = Registration.NONE;

  Renewals(Context context, Leaks leaks) {
    this.context = context;
    this.leaks = leaks;
    this.ticker = context.ticker;
    this.origin = ticker.nanoTime();
  }

  /**
   * The next moment of a tenure has changed, or it has ended: looks after it, or does no longer.
   * Called under the mutex of its lock.
   */
  void changed(Tenure tenure, LockShell shell) {
    if (tenure.phase == Phase.ENDED) {
      tenures.remove(tenure);
      return;
    }
    if (!tenure.watched) {
      tenure.watched = true;
      tenures.put(tenure, shell);
    }
    long due = tenure.due;
    if (due - origin < plannedAt) {
      wakeBy(due);
    }
  }

  /** Refreshes one tenure without waiting for its turn. */
  void refresh(Tenure tenure, LockShell shell) {
    Sending sending = sending(tenure, shell);
    if (sending != null) {
      var unused = send(List.of(sending));
    }
  }

  /** Refreshes one tenure and tells how it stands; unknown after the operation time-out. */
  CompletableFuture<Standing> renew(Tenure tenure, LockShell shell) {
    CompletableFuture<Standing> result = new CompletableFuture<>();
    Sending sending = sending(tenure, shell);
    if (sending == null) {
      result.complete(Gone.GONE);
    } else {
      context.answers.ask(
          () -> send(List.of(sending)),
          context.operationTimeout,
          (standings, failure) ->
              result.complete(standings == null ? new Unknown(failure) : standings.get(0)));
    }
    return result;
  }

  private static @Nullable Sending sending(Tenure tenure, LockShell shell) {
    Call call = shell.ask((state, now, out) -> Transitions.refreshing(state, tenure, now));
    return call == null ? null : new Sending(shell, call);
  }

  /** Plans a look no later than this moment. */
  private void wakeBy(long moment) {
    long at = moment - origin;
    mutex.lock();
    try {
      if (at < plannedAt) {
        plan.close();
        plannedAt = at;
        long delay = Math.max(0, moment - ticker.nanoTime());
        plan = ticker.schedule(Duration.ofNanos(delay), this::look);
      }
    } finally {
      mutex.unlock();
    }
  }

  private void look() {
    mutex.lock();
    try {
      plannedAt = UNPLANNED;
    } finally {
      mutex.unlock();
    }
    try {
      // In the order of their making, so that a run that a test drives is the same each time.
      List<Map.Entry<Tenure, LockShell>> all = new ArrayList<>(tenures.entrySet());
      all.sort(Comparator.comparingLong(entry -> entry.getKey().number));
      List<Sending> due = new ArrayList<>();
      all.forEach(entry -> look(entry.getKey(), entry.getValue(), due));
      sendBatches(due);
    } finally {
      long next = UNPLANNED; // whatever went wrong, the next look comes
      for (Tenure tenure : tenures.keySet()) {
        next = Math.min(next, tenure.due - origin);
      }
      if (next != UNPLANNED) {
        wakeBy(origin + next);
      }
    }
  }

  private void look(Tenure tenure, LockShell shell, List<Sending> due) {
    Call call = shell.ask((state, now, out) -> HoldTransitions.ticked(state, tenure, now, out));
    if (call != null) {
      due.add(new Sending(shell, call));
    }
    long now = ticker.nanoTime();
    if (tenure.due - now <= 0) {
      Tenure.DUE.lazySet(
          tenure, now + AFTER_FAILURE_NANOS); // its transition failed: not again at once
    }
    leaks.look(shell, tenure);
  }

  /** Those whose batch has failed before go in smaller ones: it may hide one bad claim. */
  private void sendBatches(List<Sending> due) {
    int most = context.store.refreshBatch();
    Map<Integer, List<Sending>> bySize = new HashMap<>();
    for (Sending sending : due) {
      int limit = sending.call().tenure.batch;
      int size = limit == 0 ? most : Math.min(limit, most);
      List<Sending> batch = bySize.computeIfAbsent(size, key -> new ArrayList<>());
      batch.add(sending);
      if (batch.size() == size) {
        bySize.remove(size);
        var unused = send(batch);
      }
    }
    bySize.values().forEach(this::send);
  }

  /** Sends a refresh; the answers, in this order, come whenever they come. */
  private CompletableFuture<List<Standing>> send(List<Sending> batch) {
    List<Claim> claims = batch.stream().map(sending -> sending.call().claim).toList();
    CompletableFuture<List<Standing>> result = new CompletableFuture<>();
    // Heard whenever it comes: a late answer confirms too. It is repeated before that.
    Answers.hear(
        Answers.asked(() -> context.store.refresh(claims, context.deadline())),
        (answers, failure) -> answered(batch, answers, failure, result));
    return result;
  }

  private void answered(
      List<Sending> batch,
      @Nullable Map<Claim, Standing> answers,
      @Nullable Throwable failure,
      CompletableFuture<List<Standing>> result) {
    List<Standing> standings = new ArrayList<>(batch.size());
    String lock = batch.get(0).call().claim.lock();
    Throwable cause = failure;
    int unknown = 0;
    for (Sending sending : batch) {
      Claim claim = sending.call().claim;
      Standing answer = answers == null ? null : answers.get(claim);
      Standing standing = answer == null ? new Unknown(failure) : answer;
      standings.add(standing);
      lock = claim.lock().equals(lock) ? lock : "";
      if (standing instanceof Unknown silent) {
        unknown++;
        cause = cause == null ? silent.cause() : cause;
      }
    }
    long sent = batch.get(0).call().sent.nanos;
    context.events.storeCall("refresh", lock, sent, cause);
    int nextBatch = failure == null ? 0 : Math.max(1, batch.size() / 4);
    for (int i = 0; i < batch.size(); i++) {
      Sending one = batch.get(i);
      Standing standing = standings.get(i);
      one.call().tenure.batch = nextBatch;
      one.shell()
          .on(
              (state, now, out) ->
                  Transitions.refreshAnswered(state, one.call(), standing, now, out));
    }
    if (FlightRecord.isOn()) {
      FlightRecord.refreshed(standings.size(), unknown, ticker.nanoTime() - sent);
    }
    result.complete(standings);
  }
}
