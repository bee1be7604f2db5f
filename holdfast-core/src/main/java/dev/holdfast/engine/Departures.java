package dev.holdfast.engine;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims out of the store. The first answer is reported; without one the leave is repeated in
 * the background until the claim must have died by itself. Any threads.
 */
final class Departures {

  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);
  private static final int BATCH = 256;

  private final Engine engine;
  private final Set<Leaving> owed = ConcurrentHashMap.newKeySet(); // wait for their retry
  private final AtomicInteger underWay = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  // Mutable state
  private volatile boolean closing;

  Departures(Engine engine) {
    this.engine = engine;
  }

  /** Releases or withdraws; tells the tenure's departure, if somebody waits for it. */
  void leave(Tenure tenure, Duration linger, Moment now) {
    Departure departure = new Departure(tenure.claim, linger, false);
    send(List.of(new Leaving(tenure, departure, now.nanos())), FIRST_RETRY);
  }

  /** Withdraws a claim whose join may still be on its way. */
  void bury(Tenure tenure, Moment now) {
    Departure departure = Departure.buried(tenure.claim);
    send(List.of(new Leaving(tenure, departure, now.nanos())), FIRST_RETRY);
  }

  /** The client closes: takes many out at once, with those that are owed; waits for all. */
  CompletableFuture<Void> leaveAll(List<Tenure> tenures) {
    closing = true;
    underWay.incrementAndGet(); // so that nothing is drained before all of them are sent
    List<Leaving> all = new ArrayList<>(owed);
    long now = engine.ticker().nanoTime();
    for (Tenure tenure : tenures) {
      all.add(new Leaving(tenure, new Departure(tenure.claim, tenure.linger(now), false), now));
    }
    for (int from = 0; from < all.size(); from += BATCH) {
      send(all.subList(from, Math.min(from + BATCH, all.size())), FIRST_RETRY);
    }
    underWay.decrementAndGet();
    checkDrained();
    return drained;
  }

  private void send(List<Leaving> batch, Duration retry) {
    if (!owed.isEmpty()) {
      batch.forEach(owed::remove);
    }
    underWay.incrementAndGet();
    engine
        .answers()
        .ask(
            () -> engine.store().leave(departures(batch)),
            engine.operationTimeout(),
            (answers, failure) -> {
              for (Leaving leaving : batch) {
                Left left = answers == null ? null : answers.get(leaving.claim());
                answered(leaving, left == null ? Left.UNKNOWN : left, failure, retry);
              }
              underWay.decrementAndGet();
              checkDrained();
            });
  }

  private static List<Departure> departures(List<Leaving> batch) {
    if (batch.size() == 1) {
      return List.of(batch.get(0).departure()); // the usual case, without a stream
    }
    return batch.stream().map(Leaving::departure).toList();
  }

  private void answered(Leaving leaving, Left left, @Nullable Throwable failure, Duration retry) {
    String lock = leaving.claim().lock();
    if (left != Left.UNKNOWN) {
      engine.roomMade(lock); // first: a claim that whoever waits here makes next needs no such hint
    }
    CompletableFuture<Left> waited = leaving.tenure().departure;
    if (waited != null) {
      waited.complete(left);
    }
    if (left != Left.UNKNOWN) {
      return;
    }
    Throwable cause = failure != null ? failure : new TimeoutException("no answer");
    engine.told().storeFailed("leave", lock, cause);
    // Twice the ttl: the join of a buried claim may itself have been late by as much.
    long age = engine.ticker().nanoTime() - leaving.since();
    if (!closing && age < 2 * leaving.claim().ttl().toNanos()) {
      owed.add(leaving);
      if (!closing) {
        engine.ticker().schedule(retry, () -> repeat(leaving, retry.multipliedBy(2)));
      } else if (owed.remove(leaving)) { // the client closes in this moment: now or never
        send(List.of(leaving), retry);
      }
    }
  }

  private void repeat(Leaving leaving, Duration retry) {
    if (owed.contains(leaving)) {
      send(List.of(leaving), retry.compareTo(LONGEST_RETRY) < 0 ? retry : LONGEST_RETRY);
    }
  }

  private void checkDrained() {
    if (closing && underWay.get() == 0) {
      drained.complete(null);
    }
  }

  /** A claim on its way out, since when. */
  private record Leaving(Tenure tenure, Departure departure, long since) {
    Claim claim() {
      return departure.claim();
    }
  }
}
