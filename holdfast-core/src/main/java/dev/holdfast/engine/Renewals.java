package dev.holdfast.engine;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Registration;
import dev.holdfast.engine.state.Moment;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * All tenures of a client that concern the store, in one set. One task of the ticker looks at all
 * of them and schedules itself again for the earliest moment at which anything happens: the answer
 * to a join or a renewal is overdue, a refresh is due, a deadline passes. Adding a tenure costs an
 * entry in the set and, only if its moment is earlier than the planned one, a new plan; removing
 * one costs nothing else. Whatever is due within the next quarter of its period goes along in the
 * same batch, so that leases taken at random times soon renew together.
 *
 * The deadline does not depend on any answer: a hung refresh delays nothing here.
 */
final class Renewals {

  private static final long UNPLANNED = Long.MAX_VALUE;

  private final Context context;
  private final Ticker ticker;
  private final Set<Tenure> tenures = ConcurrentHashMap.newKeySet();
  private final ReentrantLock mutex = new ReentrantLock();
  private final long origin;

  // Mutable state, the plan guarded by mutex
  private volatile long plannedAt = UNPLANNED; // counted from origin
  private Registration plan = Registration.NONE;

  Renewals(Context context) {
    this.context = context;
    this.ticker = context.ticker();
    this.origin = ticker.nanoTime();
  }

  /** Looks after a tenure from now on. Called under the mutex of its lock. */
  void watch(Tenure tenure) {
    tenures.add(tenure);
    wakeBy(tenure.nextMoment());
  }

  void forget(Tenure tenure) {
    tenures.remove(tenure);
  }

  /** Refreshes one tenure without waiting for its turn. */
  void refresh(Tenure tenure) {
    var unused = refresh(List.of(tenure));
  }

  /** Refreshes one tenure and tells how it stands; unknown after the operation time-out. */
  CompletableFuture<Standing> renew(Tenure tenure) {
    CompletableFuture<Standing> result = new CompletableFuture<>();
    context
        .answers()
        .ask(
            () -> refresh(List.of(tenure)),
            context.operationTimeout(),
            (standings, failure) ->
                result.complete(
                    standings == null
                        ? new Unknown(failure)
                        : standings.values().stream().findFirst().orElse(Gone.GONE)));
    return result;
  }

  /** Plans a look no later than this moment. */
  private void wakeBy(long moment) {
    long at = moment - origin;
    if (at >= plannedAt) {
      return;
    }
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
      List<Tenure> all = new ArrayList<>(tenures);
      all.sort(Comparator.comparingLong(tenure -> tenure.number));
      all.forEach(tenure -> tenure.shell.ticked(tenure));
      refreshDue(all);
    } finally {
      plan(); // whatever went wrong, the next look comes
    }
  }

  private void plan() {
    long next = UNPLANNED;
    for (Tenure tenure : tenures) {
      next = Math.min(next, tenure.nextMoment() - origin);
    }
    if (next != UNPLANNED) {
      wakeBy(origin + next);
    }
  }

  /** Those whose batch has failed before go in smaller ones: it may hide one bad claim. */
  private void refreshDue(List<Tenure> all) {
    long now = ticker.nanoTime();
    int most = context.store().refreshBatch();
    Map<Integer, List<Tenure>> byBatch = new HashMap<>();
    for (Tenure tenure : all) {
      if (tenure.isRefreshDue(now)) {
        int size = Math.min(tenure.batch, most);
        List<Tenure> batch = byBatch.computeIfAbsent(size, key -> new ArrayList<>());
        batch.add(tenure);
        if (batch.size() == size) {
          byBatch.remove(size);
          var unused = refresh(batch);
        }
      }
    }
    byBatch.values().forEach(this::refresh);
  }

  /** The answers by claim; those that have ended on our side are left out. */
  private CompletableFuture<Map<Claim, Standing>> refresh(List<Tenure> some) {
    Map<Claim, Tenure> byClaim = new LinkedHashMap<>();
    for (Tenure tenure : some) {
      Claim claim = tenure.shell.refreshing(tenure);
      if (claim != null) {
        byClaim.put(claim, tenure);
      }
    }
    if (byClaim.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Moment sent = Moment.exact(ticker); // the store's ttl starts no earlier than this
    CompletableFuture<Map<Claim, Standing>> result = new CompletableFuture<>();
    // Heard whenever it comes: a late answer confirms too. It is repeated before that.
    var unused =
        Answers.asked(
                () -> context.store().refresh(List.copyOf(byClaim.keySet()), context.deadline()))
            .whenComplete(
                (answers, failure) ->
                    Inbox.handle(() -> answered(byClaim, answers, failure, sent, result)));
    return result;
  }

  private void answered(
      Map<Claim, Tenure> byClaim,
      @Nullable Map<Claim, Standing> answers,
      @Nullable Throwable failure,
      Moment sent,
      CompletableFuture<Map<Claim, Standing>> result) {
    int nextBatch = failure == null ? Integer.MAX_VALUE : Math.max(1, byClaim.size() / 4);
    Map<Claim, Standing> standings = new LinkedHashMap<>();
    Throwable cause = Answers.cause(failure);
    String lock = byClaim.keySet().iterator().next().lock();
    for (Claim claim : byClaim.keySet()) {
      Standing answer = answers == null ? null : answers.get(claim);
      Standing standing = answer == null ? new Unknown(Answers.cause(failure)) : answer;
      standings.put(claim, standing);
      lock = claim.lock().equals(lock) ? lock : "";
      if (cause == null && standing instanceof Unknown unknown) {
        cause = unknown.cause();
      }
    }
    context.events().storeCall("refresh", lock, sent.nanos, cause);
    standings.forEach(
        (claim, standing) -> {
          Tenure tenure = requireNonNull(byClaim.get(claim));
          tenure.batch = nextBatch;
          tenure.shell.refreshAnswered(tenure, claim, standing, sent);
        });
    if (FlightRecord.isOn()) {
      long unknown = standings.values().stream().filter(Unknown.class::isInstance).count();
      FlightRecord.refreshed(standings.size(), (int) unknown, ticker.nanoTime() - sent.nanos);
    }
    result.complete(standings);
  }
}
