package dev.holdfast.testkit;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.History.Attempt;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * One short life of several clients on one store behind bad networks, drawn from a seed. Everything
 * runs on one thread and one {@link ManualTicker}, so the seed is the whole run.
 *
 * <p>What each caller believes is recorded in a {@link History}: a hold begins when it is reported
 * and ends when its lease stops calling itself valid, looked at before every other event.
 */
public final class Simulation {

  private static final Duration LENGTH = Duration.ofSeconds(4);
  private static final Duration AFTERMATH = Duration.ofSeconds(5);
  private static final Duration TTL = Duration.ofMillis(900);
  private static final Duration MARGIN = TTL.dividedBy(4); // ttl - validFor, by default
  private static final List<String> LOCKS = List.of("red", "blue");

  private final StoreFixture fixture;
  private final ManualTicker ticker;
  private final Queue<Runnable> callbacks = new ArrayDeque<>();
  private final Map<Attempt, Lease> held = new LinkedHashMap<>();
  private final List<FaultyStore> networks = new ArrayList<>();
  private final Random random;
  private final History history;

  private final List<String> violations = new ArrayList<>();
  private final LockStore store;
  private final String title;

  // Mutable state
  private boolean over;

  public Simulation(long seed, StoreFixture fixture) {
    this.fixture = fixture;
    this.ticker = fixture.ticker().orElseThrow();
    this.store = fixture.open();
    this.random = new Random(seed);
    this.title = "seed " + seed;
    this.history = new History(title, ticker);
  }

  /** Lives it. */
  public Simulation run() {
    int callers = 2 + random.nextInt(3);
    for (int i = 0; i < callers; i++) {
      addClient("client-" + i);
    }
    while (ticker.sinceStart().compareTo(LENGTH) < 0) {
      step();
    }
    over = true;
    networks.forEach(network -> network.faults(Faults.none()));
    Duration end = LENGTH.plus(AFTERMATH);
    while (ticker.sinceStart().compareTo(end) < 0) {
      step();
    }
    violations.addAll(HistoryChecker.violations(history.events()));
    return this;
  }

  /** What was believed. */
  public History history() {
    return history;
  }

  /** Everything that went wrong. */
  public List<String> violations() {
    return violations;
  }

  /** Fails with the first thing that went wrong, and the seed. */
  public void check() {
    if (!violations.isEmpty()) {
      throw new AssertionError(title + ": " + violations.get(0));
    }
  }

  /** Whether everything was cleaned up: nobody holds a lock without knowing it. */
  public boolean isFree() {
    return LOCKS.stream().noneMatch(lock -> inspect(lock).isHeld());
  }

  private LockInfo inspect(String lock) {
    return store.inspect(lock).toCompletableFuture().join();
  }

  private void addClient(String who) {
    Faults faults = Faults.some(Duration.ofMillis(1 + random.nextInt(450)));
    FaultyStore network = new FaultyStore(fixture.open(), ticker, faults, random.nextLong());
    networks.add(network);
    Holdfast client =
        Holdfast.builder()
            .store(network)
            .ticker(ticker)
            .executor(callbacks::add)
            .operationTimeout(Duration.ofMillis(700))
            .build();
    int actors = 1 + random.nextInt(3);
    for (int i = 0; i < actors; i++) {
      String actor = who + "/" + i;
      later(300, () -> attempt(client, actor));
    }
    later(3_000, () -> cutOff(network, faults));
  }

  /** One thing happens: a callback if there is one, else whatever is due next. */
  private void step() {
    look();
    Runnable callback = callbacks.poll();
    if (callback != null) {
      callback.run();
    } else if (!ticker.advanceToNext()) {
      ticker.advance(Duration.ofMillis(100));
    }
  }

  private void attempt(Holdfast client, String who) {
    if (over) {
      return;
    }
    LockOptions options = LockOptions.defaults().ttl(TTL).handOff(random.nextInt(4) > 0);
    Duration wait = Duration.ofMillis(random.nextInt(4) == 0 ? 0 : random.nextInt(2_000));
    String lock = LOCKS.get(random.nextInt(LOCKS.size()));
    Attempt attempt = history.attempt(who, lock);
    CompletableFuture<Lease> future = client.lock(lock, options).tryAcquireAsync(wait);
    if (random.nextInt(6) == 0) {
      later(800, () -> future.cancel(true));
    }
    future.whenComplete((lease, failure) -> decided(client, who, attempt, lease, failure));
  }

  private void decided(
      Holdfast client, String who, Attempt attempt, Lease lease, Throwable failure) {
    look();
    if (lease != null) {
      attempt.granted(lease.token());
      held.put(attempt, lease);
      // Some are held for longer than any one renewal lasts.
      later(random.nextInt(3) == 0 ? 3_000 : 500, () -> release(client, who, attempt, lease));
      return;
    }
    if (failure != null) {
      attempt.unknown();
    } else {
      attempt.gaveUp();
    }
    later(300, () -> attempt(client, who));
  }

  private void release(Holdfast client, String who, Attempt attempt, Lease lease) {
    look();
    if (held.remove(attempt) != null) {
      attempt.released();
    }
    lease.releaseAsync();
    later(300, () -> attempt(client, who));
  }

  /**
   * Records which leases have stopped calling themselves valid. Of the others, each must be a
   * margin shorter than what the store grants: that is stronger than that nobody else was let in.
   */
  private void look() {
    held.entrySet()
        .removeIf(
            entry -> {
              Lease lease = entry.getValue();
              if (lease.isValid()) {
                compareWithStore(lease);
                return false;
              }
              entry.getKey().lost();
              return true;
            });
  }

  private void compareWithStore(Lease lease) {
    Duration needed = lease.remaining().plus(MARGIN);
    boolean kept =
        inspect(lease.lockName()).holders().stream()
            .filter(holder -> holder.owner().client().equals(lease.owner().client()))
            .anyMatch(holder -> holder.remaining().compareTo(needed) >= 0);
    if (!kept && violations.isEmpty()) {
      violations.add(
          "at %s %s calls itself valid for %s more; the store has: %s"
              .formatted(ticker.sinceStart(), lease, lease.remaining(), inspect(lease.lockName())));
    }
  }

  /** The network fails as a whole for a while, the clock is set, then all is as before. */
  private void cutOff(FaultyStore network, Faults usual) {
    if (over) {
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> network.faults(Faults.cutOff());
      case 1 -> network.faults(Faults.mute());
      case 2 -> network.faults(Faults.failing());
      default -> ticker.jumpWall(Duration.ofMillis(random.nextInt(2_000) - 1_000));
    }
    later(
        1_500,
        () -> {
          network.faults(over ? Faults.none() : usual);
          later(3_000, () -> cutOff(network, usual));
        });
  }

  private void later(int millis, Runnable action) {
    ticker.schedule(Duration.ofNanos(1_000L * random.nextInt(millis * 1_000)), action);
  }
}
