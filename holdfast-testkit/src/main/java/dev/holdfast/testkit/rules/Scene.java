package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one test works with: clients of the store under test, claims, and time as the store has it.
 *
 * <p>Two ttls come from the traits: a <i>brief</i> claim dies soon after it is left alone, a
 * <i>lasting</i> one outlives the test. Tests never count on being faster than a brief claim.
 */
public final class Scene implements AutoCloseable {

  private static final Duration BRIEF = Duration.ofMillis(400);
  private static final Duration LASTING = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(10);

  private final StoreFixture fixture;
  private final @Nullable ManualTicker ticker;
  private final Client first;
  private final Traits traits;
  private final String unique = UUID.randomUUID().toString().substring(0, 8);
  private final AtomicInteger numbers = new AtomicInteger();

  // Mutable state
  private final List<Client> clients = new ArrayList<>();
  private final Map<Claim, Client> kept = new LinkedHashMap<>();

  /** On a fixture that is closed with the scene. */
  public Scene(StoreFixture fixture) {
    this.fixture = fixture;
    this.ticker = fixture.ticker().orElse(null);
    this.first = client();
    this.traits = first.store().traits();
  }

  /** The fixture. */
  public StoreFixture fixture() {
    return fixture;
  }

  /** What the store claims. */
  public Traits traits() {
    return traits;
  }

  /** The first client. */
  public Client first() {
    return first;
  }

  /** One more client, closed with the scene. */
  public Client client() {
    Client client = new Client(fixture);
    clients.add(client);
    return client;
  }

  /** Closes all clients and restarts the store. */
  public void restart() {
    clients.forEach(Client::close);
    clients.clear();
    fixture.restart();
  }

  /** One thread for each task, so that what contends really does. */
  public Executor threads() {
    return task -> {
      Thread thread = new Thread(task, "kit-thread");
      thread.setDaemon(true);
      thread.start();
    };
  }

  /** A lock name that no other test uses. */
  public String name() {
    return "kit/" + unique + "/" + numbers.incrementAndGet();
  }

  /** The ttl of claims that are meant to die. */
  public Duration brief() {
    return roundUp(max(traits.minTtl(), BRIEF));
  }

  /** The ttl of claims that are meant to live. */
  public Duration lasting() {
    return max(brief(), traits.maxTtl().compareTo(LASTING) < 0 ? traits.maxTtl() : LASTING);
  }

  /** A claim to a mutex that outlives the test. */
  public Claim mutex(String lock) {
    return claim(lock, Kind.MUTEX, 1, 1, lasting());
  }

  /** A claim to a mutex that dies soon. */
  public Claim briefMutex(String lock) {
    return claim(lock, Kind.MUTEX, 1, 1, brief());
  }

  /** A claim to permits of a semaphore. */
  public Claim permits(String lock, int permits, int capacity) {
    return claim(lock, Kind.SEMAPHORE, permits, capacity, lasting());
  }

  /** A claim to read. */
  public Claim reader(String lock) {
    return claim(lock, Kind.READ_WRITE, 1, Kind.UNBOUNDED, lasting());
  }

  /** A claim to write. */
  public Claim writer(String lock) {
    return claim(lock, Kind.READ_WRITE, Kind.UNBOUNDED, Kind.UNBOUNDED, lasting());
  }

  /** A claim with its own id and owner. */
  public Claim claim(String lock, Kind kind, int weight, int capacity, Duration ttl) {
    int number = numbers.incrementAndGet();
    Owner owner = new Owner("host-" + unique, number, "thread", "client-" + number, "claimant");
    String id = UUID.randomUUID().toString().replace("-", "");
    return new Claim(id, lock, kind, weight, capacity, owner, ttl, null, 0, 0);
  }

  /** The same claim under another id. */
  public static Claim withId(Claim claim, String id) {
    return new Claim(
        id,
        claim.lock(),
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        claim.owner(),
        claim.ttl(),
        claim.value(),
        claim.spares(),
        claim.floor(),
        claim.keepable());
  }

  /** The same claim on another lock. */
  public static Claim onLock(Claim claim, String lock) {
    return new Claim(
        claim.id(),
        lock,
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        claim.owner(),
        claim.ttl(),
        claim.value(),
        claim.spares(),
        claim.floor(),
        claim.keepable());
  }

  /** Keeps a claim alive while the test waits for a condition. */
  public void keep(Client client, Claim claim) {
    kept.put(claim, client);
  }

  /** Returns whether the test moves the store's clock, so that lateness can be measured too. */
  public boolean drivesClock() {
    return ticker != null;
  }

  /** The monotonic clock that goes with the store's. */
  public long nanoTime() {
    return ticker != null ? ticker.nanoTime() : System.nanoTime();
  }

  /** Waits for a condition that the passing of time must bring, however slow the machine is. */
  public void eventually(String what, BooleanSupplier condition) {
    // A clock that is driven needs no patience with the machine.
    Duration patience = ticker == null ? PATIENCE : Duration.ofSeconds(5);
    Duration bound = brief().plus(traits.expiryLag()).multipliedBy(3).plus(patience);
    long start = nanoTime();
    while (true) {
      kept.forEach((claim, client) -> client.refresh(claim));
      if (condition.getAsBoolean()) {
        return;
      }
      if (nanoTime() - start > bound.toNanos()) {
        fail("%s: not within %s", what, bound);
      }
      passBriefly();
    }
  }

  /**
   * Beats for a claim until several of its ttls have passed. It must be alive at every beat that
   * came in time; if the test itself was late, nothing follows from that and the whole attempt is
   * made again.
   *
   * @param attempt joins with a claim whose ttl is brief, and returns how to beat for it: the beat
   *     tells whether the claim is still the same
   */
  public void staysAlive(Supplier<BooleanSupplier> attempt) {
    long ttl = brief().toNanos();
    for (int i = 0; i < 10; i++) {
      long sent = nanoTime();
      BooleanSupplier beat = attempt.get();
      long start = sent;
      boolean onTime = true;
      while (onTime && nanoTime() - start < 3 * ttl) {
        passBriefly();
        long next = nanoTime();
        boolean alive = beat.getAsBoolean();
        onTime = nanoTime() - sent < ttl;
        if (onTime && !alive) {
          fail("a claim ended within its ttl (%s) of the last time it was armed", brief());
        }
        sent = next;
      }
      if (onTime) {
        return;
      }
    }
    fail("this machine stalls too often to find out whether a claim of %s stays alive", brief());
  }

  @Override
  public void close() {
    clients.forEach(Client::close);
    try {
      fixture.close();
    } catch (Exception e) {
      throw new IllegalStateException("the fixture did not close", e);
    }
  }

  private void passBriefly() {
    if (ticker != null) {
      ticker.advance(POLL);
    } else {
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  private Duration roundUp(Duration ttl) {
    long resolution = Math.max(1, traits.ttlResolution().toNanos());
    long steps = (ttl.toNanos() + resolution - 1) / resolution;
    return Duration.ofNanos(steps * resolution);
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }
}
