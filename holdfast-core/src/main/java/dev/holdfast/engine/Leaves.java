package dev.holdfast.engine;

import dev.holdfast.engine.state.Effects.Leave;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims out of the store. The first answer is reported; without one the leave is repeated in
 * the background until the claim must have died by itself. Thread-safe.
 *
 * <p>A leave counts as under way from the moment it is decided, so that the end of the client waits
 * for it.
 */
final class Leaves {

  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);
  private static final int BATCH = 256;

  private final Context context;
  private final Set<Leaving> owed = ConcurrentHashMap.newKeySet(); // wait for their retry
  private final AtomicInteger underWay = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  // Mutable state
  private volatile boolean closing;

  Leaves(Context context) {
    this.context = context;
  }

  /** A leave was decided and will be sent. Called under the mutex of its lock. */
  void decided() {
    underWay.incrementAndGet();
  }

  /** Sends a leave that was {@link #decided}. */
  void send(Leave leave) {
    send(List.of(new Leaving(leave, context.ticker().nanoTime())), FIRST_RETRY);
  }

  /** The client closes: sends many that were {@link #decided}, with those that are owed. */
  CompletableFuture<Void> sendAll(List<Leave> leaves) {
    underWay.incrementAndGet(); // so that nothing is drained before all of them are sent
    closing = true;
    List<Leaving> all = new ArrayList<>();
    for (Leaving leaving : owed) {
      if (owed.remove(leaving)) {
        underWay.incrementAndGet();
        all.add(leaving);
      }
    }
    long now = context.ticker().nanoTime();
    leaves.forEach(leave -> all.add(new Leaving(leave, now)));
    for (int from = 0; from < all.size(); from += BATCH) {
      send(all.subList(from, Math.min(from + BATCH, all.size())), FIRST_RETRY);
    }
    ended(1);
    return drained;
  }

  private void send(List<Leaving> batch, Duration retry) {
    long sent = context.ticker().nanoTime();
    List<Departure> departures = departures(batch);
    context
        .answers()
        .ask(
            () -> context.store().leave(departures, context.deadline()),
            context.operationTimeout(),
            (answers, failure) -> {
              tell(departures, answers, failure, sent);
              for (int i = 0; i < batch.size(); i++) {
                Left left = left(departures.get(i), answers);
                answered(batch.get(i), left, cause(left, failure), retry);
              }
              ended(batch.size());
            });
  }

  private void tell(
      List<Departure> departures,
      @Nullable Map<Claim, Left> answers,
      @Nullable Throwable failure,
      long sent) {
    String lock = departures.get(0).claim().lock();
    Throwable cause = failure;
    for (Departure departure : departures) {
      cause = cause == null ? cause(left(departure, answers), null) : cause;
      lock = departure.claim().lock().equals(lock) ? lock : "";
    }
    context.events().storeCall("leave", lock, sent, cause);
  }

  private static Left left(Departure departure, @Nullable Map<Claim, Left> answers) {
    Left left = answers == null ? null : answers.get(departure.claim());
    return left == null ? Left.UNKNOWN : left;
  }

  private @Nullable Throwable cause(Left left, @Nullable Throwable failure) {
    return left == Left.UNKNOWN && failure == null ? context.timeout() : failure;
  }

  private static List<Departure> departures(List<Leaving> batch) {
    if (batch.size() == 1) {
      return List.of(batch.get(0).departure()); // the usual case, without a stream
    }
    return batch.stream().map(Leaving::departure).toList();
  }

  private void answered(Leaving leaving, Left left, @Nullable Throwable cause, Duration retry) {
    Tenure tenure = leaving.leave().tenure();
    Claim claim = tenure.claim;
    boolean silent = left == Left.UNKNOWN;
    // Before the caller hears of it: a claim that it makes next needs no hint of this one.
    ((LockShell) tenure.shell).leaveAnswered(tenure, left);
    tenure.leaveFailure = cause;
    CompletableFuture<Left> waited = tenure.left();
    if (waited != null) {
      waited.complete(left);
    }
    // Twice the ttl: the join of a buried claim may itself have been late by as much.
    long age = context.ticker().nanoTime() - leaving.since();
    if (silent && !closing && age < 2 * claim.ttl().toNanos()) {
      owed.add(leaving);
      if (!closing) {
        context.ticker().schedule(retry, () -> repeat(leaving, retry.multipliedBy(2)));
      } else if (owed.remove(leaving)) { // the client closes in this moment: now or never
        underWay.incrementAndGet();
        send(List.of(leaving), retry);
      }
    }
  }

  private void repeat(Leaving leaving, Duration retry) {
    if (owed.remove(leaving)) {
      underWay.incrementAndGet();
      send(List.of(leaving), retry.compareTo(LONGEST_RETRY) < 0 ? retry : LONGEST_RETRY);
    }
  }

  private void ended(int count) {
    if (underWay.addAndGet(-count) == 0 && closing) {
      drained.complete(null);
    }
  }

  /** A claim on its way out, since when. */
  private record Leaving(Leave leave, long since) {
    Departure departure() {
      return new Departure(leave.tenure().claim, leave.linger(), leave.tombstone());
    }
  }
}
