package dev.holdfast.testkit;

import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A client's store behind a bad network. What goes wrong is drawn from a seed, and everything that
 * happens later happens through the ticker: on a {@link ManualTicker}, with the calls made by one
 * thread, the same seed gives the same run.
 *
 * <p>It may fail a call in every way a network can; it never makes up an answer. So whatever a
 * client does wrong behind it is the client's fault.
 *
 * <p><b>Threads.</b> Safe for any; calls made at the same time draw in the order in which they
 * come.
 */
public final class FaultyStore implements LockStore {

  private final LockStore store;
  private final Ticker ticker;

  // Mutable state, guarded by this
  private final Random random;
  private final Map<Claim, Integer> arrivals = new HashMap<>();
  private final Map<Verb, AtomicLong> calls = new EnumMap<>(Verb.class);
  private final Map<Verb, AtomicLong> answers = new EnumMap<>(Verb.class);
  private volatile Faults faults;

  /** In front of a store, which it closes with itself. */
  public FaultyStore(LockStore store, Ticker ticker, Faults faults, long seed) {
    this.store = store;
    this.ticker = ticker;
    this.faults = faults;
    this.random = new Random(seed);
    for (Verb verb : Verb.values()) {
      calls.put(verb, new AtomicLong());
      answers.put(verb, new AtomicLong());
    }
  }

  /** From now on these faults. What is on its way stays so. */
  public void faults(Faults from) {
    faults = from;
  }

  /** How many such calls were made, whatever became of them. */
  public long calls(Verb verb) {
    return counter(calls, verb).get();
  }

  /** How many such calls the store has answered or failed, also those whose answer was lost. */
  public long answers(Verb verb) {
    return counter(answers, verb).get();
  }

  @Override
  public Traits traits() {
    return store.traits();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    synchronized (this) {
      arrivals.putIfAbsent(claim, arrivals.size());
    }
    return send(Verb.JOIN, claim.lock(), () -> store.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    // Ids are random, and so is the order that they give a batch: the seed's order is by arrival.
    List<Claim> ordered = ordered(claims);
    Map<Claim, Standing> blanks = drawUnknowns(ordered);
    return send(Verb.REFRESH, "", () -> store.refresh(ordered, deadline))
        .thenApply(
            answers -> {
              Map<Claim, Standing> result = new LinkedHashMap<>(answers);
              result.putAll(blanks);
              return result;
            });
  }

  @Override
  public int refreshBatch() {
    return store.refreshBatch();
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return send(Verb.LEAVE, "", () -> store.leave(departures, deadline));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return send(Verb.EVICT, lock, () -> store.evict(lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return send(Verb.DISCARD, lock, () -> store.discard(lock));
  }

  @Override
  public Fence fence() {
    return store.fence();
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    if (draw(faults.spuriousHint())) {
      after(delay(faults.maxDelay().multipliedBy(8)), wake);
    }
    return store.observe(lock, () -> hint(wake));
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return send(Verb.INSPECT, lock, () -> store.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return send(Verb.LIST, "", () -> store.list(prefix, limit));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return send(Verb.DIAGNOSE, "", store::diagnose);
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return "faulty " + store;
  }

  private <T> CompletionStage<T> send(Verb verb, String lock, Request<T> uncounted) {
    counter(calls, verb).incrementAndGet();
    AtomicLong answered = counter(answers, verb);
    Request<T> request =
        () -> uncounted.send().whenComplete((value, failure) -> answered.incrementAndGet());
    Faults now = faults;
    if (!now.verbs().contains(verb)) {
      return request.send();
    }
    Call<T> call = new Call<>(verb, lock, request);
    Fate fate;
    Duration there;
    Duration back;
    boolean hangs;
    synchronized (this) { // all draws of a call are made when it is made: later ones cannot mix in
      fate = fate(now);
      there = delay(now.maxDelay());
      back = delay(now.maxDelay());
      hangs = draw(now.hang());
    }
    call.go(fate, there, back, hangs);
    return call.answer;
  }

  /** Passes a call on to the store. */
  @FunctionalInterface
  private interface Request<T> {
    CompletionStage<T> send();
  }

  private enum Fate {
    PASSED_ON,
    LOST_REQUEST,
    LOST_ANSWER,
    ERROR,
    LATE,
    DUPLICATE
  }

  private static AtomicLong counter(Map<Verb, AtomicLong> counters, Verb verb) {
    return Objects.requireNonNull(counters.get(verb));
  }

  private Fate fate(Faults now) {
    int drawn = random.nextInt(100);
    int[] chances = {now.lostRequest(), now.lostAnswer(), now.error(), now.late(), now.duplicate()};
    for (int i = 0; i < chances.length; i++) {
      drawn -= chances[i];
      if (drawn < 0) {
        return Fate.values()[i + 1];
      }
    }
    return Fate.PASSED_ON;
  }

  private void hint(Runnable wake) {
    if (!draw(faults.missedHint())) {
      after(delay(faults.maxDelay()), wake);
    }
  }

  private Map<Claim, Standing> drawUnknowns(List<Claim> claims) {
    Map<Claim, Standing> unknown = new LinkedHashMap<>();
    if (faults.verbs().contains(Verb.REFRESH)) {
      for (Claim claim : claims) {
        if (draw(faults.unknownClaim())) {
          unknown.put(claim, new Unknown(null));
        }
      }
    }
    return unknown;
  }

  private synchronized List<Claim> ordered(Collection<Claim> claims) {
    return claims.stream()
        .sorted(Comparator.comparingInt(claim -> arrivals.getOrDefault(claim, Integer.MAX_VALUE)))
        .toList();
  }

  private synchronized boolean draw(int percent) {
    return percent > 0 && random.nextInt(100) < percent;
  }

  private synchronized Duration delay(Duration most) {
    long micros = most.toNanos() / 1_000;
    return micros == 0 ? Duration.ZERO : Duration.ofNanos(random.nextLong(micros) * 1_000);
  }

  private void after(Duration delay, Runnable task) {
    if (delay.isZero()) {
      task.run();
    } else {
      ticker.schedule(delay, task);
    }
  }

  /** One call on its way. */
  private final class Call<T> {
    private final Verb verb;
    private final String lock;
    private final Request<T> request;
    private final CompletableFuture<T> answer = new CompletableFuture<>();

    Call(Verb verb, String lock, Request<T> request) {
      this.verb = verb;
      this.lock = lock;
      this.request = request;
    }

    void go(Fate fate, Duration there, Duration back, boolean hangs) {
      switch (fate) {
        case PASSED_ON -> after(there, () -> passOn(back));
        case DUPLICATE -> {
          after(there, () -> passOn(back));
          after(there.plus(back).multipliedBy(2), request::send);
        }
        case LOST_REQUEST -> {
          if (!hangs) {
            after(there.plus(back), this::fail);
          }
        }
        case LOST_ANSWER -> {
          after(there, request::send);
          if (!hangs) {
            after(there.plus(back), this::fail);
          }
        }
        case ERROR -> fail();
        case LATE -> {
          after(there, this::fail);
          after(there.plus(back).multipliedBy(4), request::send);
        }
      }
    }

    private void passOn(Duration back) {
      request
          .send()
          .whenComplete(
              (value, failure) ->
                  after(
                      back,
                      () -> {
                        if (failure != null) {
                          answer.completeExceptionally(failure);
                        } else {
                          answer.complete(value);
                        }
                      }));
    }

    private void fail() {
      answer.completeExceptionally(
          new Silence(lock, "No answer to the " + verb + ": it may or may not have taken effect."));
    }
  }

  /** Made by the thousand, and its stack trace would say nothing. */
  private static final class Silence extends StoreException {
    private static final long serialVersionUID = 1L;

    Silence(String lock, String message) {
      super(lock, message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
