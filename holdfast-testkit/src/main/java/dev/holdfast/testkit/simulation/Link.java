package dev.holdfast.testkit.simulation;

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
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.simulation.Weather.Fault;
import dev.holdfast.testkit.simulation.time.MachineClock;
import dev.holdfast.testkit.simulation.time.Scheduler;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The network between one client and the store. It loses, delays and doubles messages as the
 * weather and a seed have it, and never makes up an answer. Not thread-safe.
 */
final class Link implements LockStore {

  private static final long MILLI = 1_000_000;
  private static final long CALM_WAY = 40 * MILLI; // at most, each way
  private static final long SLOW_WAY = 3_000 * MILLI;
  private static final long LATE_WAY = 40_000 * MILLI;
  private static final Fault[] STORMY = {
    Fault.LOST_REQUEST,
    Fault.LOST_ANSWER,
    Fault.ERROR,
    Fault.LATE_REQUEST,
    Fault.LATE_ANSWER,
    Fault.DOUBLED
  };

  private final Scheduler scheduler;
  private final MachineClock client;
  private final SplittableRandom random;
  private final Map<Claim, Integer> arrivals = new HashMap<>();
  private final Set<Watch> watches = new LinkedHashSet<>();
  private final Set<Call<?>> calls = new LinkedHashSet<>(); // without an answer so far
  private final Stats stats;

  // Mutable state
  private LockStore store;
  private Weather weather = Weather.CALM;
  private boolean atOnce;
  private int claims;
  private long answers;

  Link(Scheduler scheduler, MachineClock client, LockStore store, long seed, Stats stats) {
    this.scheduler = scheduler;
    this.client = client;
    this.store = store;
    this.random = new SplittableRandom(seed);
    this.stats = stats;
  }

  void weather(Weather next) {
    weather = next;
    calls.removeIf(Call::isForgotten);
  }

  /** The store has restarted: every observation is made again, and every observer woken. */
  void reconnect(LockStore restarted) {
    store = restarted;
    for (Watch watch : List.copyOf(watches)) {
      watch.inner = store.observe(watch.lock, watch::hint);
      watch.hint();
    }
  }

  /**
   * Makes calls for which the caller waits on its thread: each is answered, or fails, before it
   * returns.
   */
  void atOnce(Runnable actions) {
    beside(
        () -> {
          List.copyOf(calls).forEach(Call::settle); // the caller may have to wait for one of them
          actions.run();
        });
  }

  /** As {@link #atOnce}, for calls that wait for none that is under way. */
  void beside(Runnable actions) {
    boolean before = atOnce;
    atOnce = true;
    try {
      actions.run();
    } finally {
      atOnce = before;
    }
  }

  /** {@return how many answers have come} */
  long answers() {
    return answers;
  }

  boolean isAtOnce() {
    return atOnce;
  }

  // ---------------------------------------------------------------- calls

  @Override
  public Traits traits() {
    return store.traits();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    if (!arrivals.containsKey(claim)) {
      arrivals.put(claim, claims++);
    }
    stats.requests++;
    return send(claim.lock(), true, () -> store.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(Collection<Claim> batch, Deadline deadline) {
    stats.requests++;
    // Ids are random, and so is the order that they give a batch.
    List<Claim> ordered =
        batch.size() == 1
            ? List.copyOf(batch)
            : batch.stream()
                .sorted(Comparator.comparingInt(it -> arrivals.getOrDefault(it, Integer.MAX_VALUE)))
                .toList();
    Claim blank =
        weather == Weather.STORM && random.nextInt(20) == 0
            ? ordered.get(random.nextInt(ordered.size()))
            : null;
    CompletionStage<Map<Claim, Standing>> answer =
        send(ordered.get(0).lock(), false, () -> store.refresh(ordered, deadline));
    if (ordered.size() == 1 && blank == null) {
      return answer;
    }
    if (blank != null) {
      stats.happened(Fault.UNKNOWN_CLAIM);
    }
    return answer.thenApply(
        standings -> {
          Map<Claim, Standing> result = new LinkedHashMap<>();
          for (Claim claim : ordered) {
            Standing standing = claim.equals(blank) ? new Unknown(null) : standings.get(claim);
            if (standing != null) {
              result.put(claim, standing);
            }
          }
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
    stats.requests++;
    departures.forEach(departure -> arrivals.remove(departure.claim()));
    return send("", false, () -> store.leave(departures, deadline));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return send(lock, false, () -> store.evict(lock, token));
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    Watch watch = new Watch(lock, wake);
    watches.add(watch);
    watch.inner = store.observe(lock, watch::hint);
    return watch;
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return send(lock, false, () -> store.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return send("", false, () -> store.list(prefix, limit));
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }

  // ---------------------------------------------------------------- messages

  private <T> CompletionStage<T> send(
      String lock, boolean isJoin, Supplier<CompletionStage<T>> request) {
    if (atOnce) {
      return isReached() ? ask(request) : CompletableFuture.failedFuture(new Silence(lock));
    }
    Call<T> call = new Call<>(lock, isJoin, request);
    calls.add(call);
    switch (weather) {
      case CALM, NO_HINTS -> call.passes(way(CALM_WAY), way(CALM_WAY));
      case SLOW -> call.passes(way(SLOW_WAY), way(SLOW_WAY));
      case CUT_OFF -> call.suffers(Fault.LOST_REQUEST);
      case MUTE -> call.suffers(Fault.LOST_ANSWER);
      case STORM -> {
        int drawn = random.nextInt(3 * STORMY.length);
        if (drawn < STORMY.length) {
          call.suffers(STORMY[drawn]);
        } else {
          call.passes(way(CALM_WAY), way(CALM_WAY));
        }
      }
    }
    return call.answer;
  }

  private static <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> request) {
    try {
      return request.get();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private boolean isReached() {
    return weather != Weather.CUT_OFF && weather != Weather.MUTE;
  }

  /** One request and its answer. */
  private final class Call<T> {
    final CompletableFuture<T> answer = new CompletableFuture<>();
    private final String lock;
    private final boolean isJoin;
    private final Supplier<CompletionStage<T>> request;
    private final long sent = scheduler.now();

    // Mutable state
    private @Nullable CompletionStage<T> stage; // once the request has arrived
    private boolean lost;

    Call(String lock, boolean isJoin, Supplier<CompletionStage<T>> request) {
      this.lock = lock;
      this.isJoin = isJoin;
      this.request = request;
    }

    void suffers(Fault fault) {
      stats.happened(fault);
      switch (fault) {
        case LOST_REQUEST, UNKNOWN_CLAIM -> lost = true;
        case LOST_ANSWER -> {
          lost = true;
          scheduler.after(way(CALM_WAY), this::arrive);
        }
        case ERROR -> scheduler.after(way(CALM_WAY), () -> client.run(this::fail));
        case LATE_REQUEST -> passes(way(LATE_WAY), way(CALM_WAY));
        case LATE_ANSWER -> passes(way(CALM_WAY), way(LATE_WAY));
        case DOUBLED -> {
          long there = way(CALM_WAY);
          passes(there, way(CALM_WAY));
          // A copy of a join that comes after its claim has left would take the lock for nobody
          // until its ttl ends: only a join that its client has not given up on is doubled.
          scheduler.after(isJoin ? there : way(LATE_WAY), () -> ask(request));
        }
      }
    }

    void passes(long there, long back) {
      scheduler.after(
          there,
          () -> {
            arrive();
            scheduler.after(back, () -> client.run(this::answer));
          });
    }

    private void arrive() {
      if (stage == null) {
        stage = ask(request);
      }
    }

    private void answer() {
      CompletionStage<T> known = stage;
      if (known != null && calls.remove(this)) {
        answers++;
        var unused =
            known.whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(failure);
                  }
                });
      }
    }

    private void fail() {
      if (calls.remove(this)) {
        answer.completeExceptionally(new Silence(lock));
      }
    }

    /** Has its answer now, or never. */
    void settle() {
      if (isReached() && !lost) {
        arrive();
        answer();
      } else {
        fail();
      }
    }

    boolean isForgotten() {
      return scheduler.now() - sent > 20 * SLOW_WAY;
    }
  }

  private long way(long most) {
    return random.nextLong(MILLI / 10, most);
  }

  /** One observation. */
  private final class Watch implements Registration {
    private final String lock;
    private final Runnable wake;

    // Mutable state
    private Registration inner = Registration.NONE;

    Watch(String lock, Runnable wake) {
      this.lock = lock;
      this.wake = wake;
    }

    void hint() {
      boolean heard =
          switch (weather) {
            case CALM, SLOW -> true;
            case STORM -> random.nextInt(3) > 0;
            case NO_HINTS, CUT_OFF, MUTE -> false;
          };
      if (heard) {
        scheduler.after(way(weather == Weather.CALM ? CALM_WAY : SLOW_WAY), () -> client.run(wake));
      }
    }

    @Override
    public void close() {
      watches.remove(this);
      inner.close();
    }
  }

  /** A message was lost. Made by the thousand, and its stack trace would say nothing. */
  private static final class Silence extends StoreException {
    private static final long serialVersionUID = 1L;

    Silence(String lock) {
      super(lock, "The network has lost a message.");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
