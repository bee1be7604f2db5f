package dev.holdfast.testkit.simulation;

import dev.holdfast.Fence;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Terms;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What is simulated. Immutable.
 *
 * @param store the store
 * @param fence the fence of the resource that is written to
 * @param constructs as what locks are used; all that the store supports
 * @param clients how many there are
 * @param length how long each simulation takes, before all comes to rest
 * @param every how long it takes on average until somebody asks for a lock
 * @param faults how long it takes on average until something goes wrong; zero for never
 * @param ttl of all claims
 * @param slowest the rate of the slowest client's clock
 * @param fastest the rate of the fastest client's clock
 */
public record Setting(
    StoreModel.Maker store,
    Supplier<Fence> fence,
    Set<Construct> constructs,
    int clients,
    Duration length,
    Duration every,
    Duration faults,
    Duration ttl,
    double slowest,
    double fastest) {

  /** How long a client waits for one answer. */
  static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(5);

  /** For how long clients keep claims at most. */
  static final Duration LONGEST_IDLE = Duration.ofSeconds(10);

  private static final double MARGIN = 0.77; // a clock this slow is within the margin of a quarter

  /** Keeps the constructs. */
  public Setting {
    constructs = Set.copyOf(constructs);
  }

  /** Everything, on the memory store. */
  public static Setting standard() {
    return on(StoreModel::memory);
  }

  /** Everything, on this store. */
  public static Setting on(StoreModel.Maker store) {
    return new Setting(
        store,
        Fence::inMemory,
        EnumSet.complementOf(EnumSet.of(Construct.NONE)),
        4,
        Duration.ofHours(1),
        Duration.ofSeconds(3),
        Duration.ofSeconds(60),
        Duration.ofSeconds(30),
        MARGIN,
        1.3);
  }

  /** Mutexes, several locks and elections on a register: a store that cannot queue. */
  public static Setting register() {
    return on(StoreModel::register)
        .only(Set.of(Construct.MUTEX, Construct.SEVERAL, Construct.LEADER));
  }

  /** The same with clients whose clocks run at rates between these. */
  public Setting rates(double slowestRate, double fastestRate) {
    return new Setting(
        store, fence, constructs, clients, length, every, faults, ttl, slowestRate, fastestRate);
  }

  /** The same with another fence. */
  public Setting fence(Supplier<Fence> other) {
    return new Setting(
        store, other, constructs, clients, length, every, faults, ttl, slowest, fastest);
  }

  /** The same with locks that are used as these alone. */
  public Setting only(Set<Construct> some) {
    return new Setting(store, fence, some, clients, length, every, faults, ttl, slowest, fastest);
  }

  /** The same with faults as seldom as that; zero for never. */
  public Setting faults(Duration mean) {
    return new Setting(
        store, fence, constructs, clients, length, every, mean, ttl, slowest, fastest);
  }

  /** The same, each simulation taking this time. */
  public Setting length(Duration each) {
    return new Setting(
        store, fence, constructs, clients, each, every, faults, ttl, slowest, fastest);
  }

  /** Within which times the promises are to be kept. */
  Terms terms(Duration expiryLag, boolean fair) {
    Duration takeover = ttl.multipliedBy(3).plus(expiryLag).plus(OPERATION_TIMEOUT.multipliedBy(2));
    return new Terms(
        ttl,
        ttl.dividedBy(3),
        OPERATION_TIMEOUT,
        takeover,
        fair ? Duration.ofSeconds(1) : takeover,
        LONGEST_IDLE,
        Duration.ofSeconds(1),
        Duration.ofMillis(200),
        slowest,
        fastest,
        fair);
  }
}
