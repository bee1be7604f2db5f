package dev.holdfast.engine;

import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims out of the store. The first answer is reported; without one the leave is repeated in
 * the background until the claim must have died by itself.
 */
final class Departures {

  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);
  private static final int BATCH = 256;

  private final Engine engine;
  private final AtomicInteger underWay = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  // Mutable state
  private volatile boolean closing;

  Departures(Engine engine) {
    this.engine = engine;
  }

  /** Releases or withdraws; tells the tenure's departure, if somebody waits for it. */
  void leave(Tenure tenure, Duration linger) {
    attempt(
        tenure,
        new Departure(tenure.claim, linger, false),
        FIRST_RETRY,
        Moment.now(engine.ticker()));
  }

  /** Withdraws a claim whose join may still be on its way. */
  void bury(Tenure tenure) {
    attempt(tenure, Departure.buried(tenure.claim), FIRST_RETRY, Moment.now(engine.ticker()));
  }

  /** Takes many out at once, when the client closes; then waits for all that are under way. */
  CompletableFuture<Void> leaveAll(List<Tenure> tenures) {
    for (int from = 0; from < tenures.size(); from += BATCH) {
      leaveBatch(new ArrayList<>(tenures.subList(from, Math.min(from + BATCH, tenures.size()))));
    }
    closing = true;
    checkDrained();
    return drained;
  }

  private void leaveBatch(List<Tenure> batch) {
    Map<Departure, Tenure> departures = new HashMap<>();
    long now = engine.ticker().nanoTime();
    for (Tenure tenure : batch) {
      departures.put(new Departure(tenure.claim, tenure.linger(now), false), tenure);
    }
    underWay.incrementAndGet();
    engine
        .answers()
        .ask(
            () -> engine.store().leave(departures.keySet()),
            engine.operationTimeout(),
            (answers, failure) -> {
              departures.forEach(
                  (departure, tenure) ->
                      decide(
                          tenure,
                          answers == null
                              ? Left.UNKNOWN
                              : answers.getOrDefault(departure.claim(), Left.UNKNOWN)));
              underWay.decrementAndGet();
              checkDrained();
            });
  }

  private void attempt(Tenure tenure, Departure departure, Duration retry, Moment since) {
    underWay.incrementAndGet();
    engine
        .answers()
        .ask(
            () -> engine.store().leave(List.of(departure)),
            engine.operationTimeout(),
            (answers, failure) -> {
              Left left = answers == null ? Left.UNKNOWN : answers.get(departure.claim());
              answered(tenure, departure, left, failure, retry, since);
              underWay.decrementAndGet();
              checkDrained();
            });
  }

  private void answered(
      Tenure tenure,
      Departure departure,
      @Nullable Left left,
      @Nullable Throwable failure,
      Duration retry,
      Moment since) {
    if (left != null && left != Left.UNKNOWN) {
      decide(tenure, left);
      // Our own claim has made room: the next one may be ours too.
      engine.hint(departure.claim().lock());
      return;
    }
    decide(tenure, Left.UNKNOWN);
    engine
        .told()
        .storeFailed(
            "leave",
            departure.claim().lock(),
            failure != null ? failure : new TimeoutException("no answer"));
    // Twice the ttl: the join of a buried claim may itself have been late by as much.
    long age = engine.ticker().nanoTime() - since.nanos();
    if (!closing && age < 2 * departure.claim().ttl().toNanos()) {
      Duration next = retry.multipliedBy(2);
      engine
          .ticker()
          .schedule(
              retry,
              () ->
                  attempt(
                      tenure,
                      departure,
                      next.compareTo(LONGEST_RETRY) < 0 ? next : LONGEST_RETRY,
                      since));
    }
  }

  private static void decide(Tenure tenure, Left left) {
    CompletableFuture<Left> waited = tenure.departure;
    if (waited != null) {
      waited.complete(left);
    }
  }

  private void checkDrained() {
    if (closing && underWay.get() == 0) {
      drained.complete(null);
    }
  }
}
