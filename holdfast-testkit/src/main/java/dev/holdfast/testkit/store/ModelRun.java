package dev.holdfast.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A random run of a store beside the memory store, which is the reference of the model. Both get
 * the same calls at the same times, and must answer the same. Not thread-safe.
 */
public final class ModelRun {

  private static final int STEPS = 600;
  private static final Duration HOUR = Duration.ofHours(1);

  private final long seed;
  private final Random random;
  private final String prefix;
  private final LockStore memory;
  private final List<? extends LockStore> stores;
  private final @Nullable Clock clock;

  // Mutable state
  private final List<Claim> claims = new ArrayList<>();
  private final Map<String, TreeMap<Long, Long>> tokens = new HashMap<>();
  private String context = "";

  /** The clock of a store, which goes along with the ticker of its clients. */
  public interface Clock {

    /** Moves the clock and the ticker ahead. */
    void advance(Duration by) throws Exception;
  }

  /**
   * @param prefix of the names of all locks in this run
   * @param stores clients of one store; the calls are spread over them
   * @param ticker of these clients
   * @param clock null if the store's clock cannot be driven: then nothing expires meanwhile
   */
  public ModelRun(
      long seed,
      String prefix,
      List<? extends LockStore> stores,
      ManualTicker ticker,
      @Nullable Clock clock) {
    this.seed = seed;
    this.prefix = prefix;
    this.stores = stores;
    this.clock = clock;
    random = new Random(seed);
    memory = new MemoryLockStore(new MemorySpace(), ticker);
  }

  /** Takes all steps; fails at the first answer that differs, or if tokens do not rise. */
  public void run() throws Exception {
    for (int step = 0; step < STEPS; step++) {
      step(step);
    }
    checkTokens();
  }

  private void step(int step) throws Exception {
    context = "seed " + seed + ", step " + step;
    if (clock != null) {
      // Whole milliseconds, and ttls that are not: nothing expires at the very moment of a step.
      clock.advance(Duration.ofMillis(1 + random.nextInt(random.nextInt(10) == 0 ? 400 : 20)));
    }
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> join(newClaim());
      case 3 -> anyClaim(this::join);
      case 4, 5 -> refresh();
      case 6, 7 -> anyClaim(this::leave);
      case 8 -> inspect();
      default -> {
        if (random.nextInt(4) == 0) {
          evict(lock());
        } else {
          anyClaim(this::leave);
        }
      }
    }
  }

  /** Tokens need not be equal, but must rise in the same order. */
  private void checkTokens() {
    tokens.forEach(
        (lock, pairs) ->
            assertThat(List.copyOf(pairs.values()))
                .as("seed %s, tokens of %s in the order of the model", seed, lock)
                .isSorted()
                .doesNotHaveDuplicates());
  }

  private void join(Claim claim) {
    boolean wait = random.nextInt(3) > 0;
    compare(
        Ask.of(memory.join(claim, wait, Deadlines.far())),
        Ask.of(store().join(claim, wait, Deadlines.far())),
        claim.lock());
  }

  private void refresh() {
    List<Claim> batch = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      anyClaim(batch::add);
    }
    List<Claim> distinct = batch.stream().distinct().toList();
    if (!distinct.isEmpty()) {
      var expected = Ask.of(memory.refresh(distinct, Deadlines.far()));
      var actual = Ask.of(store().refresh(distinct, Deadlines.far()));
      assertThat(actual).as(context).containsOnlyKeys(expected.keySet());
      expected.forEach(
          (claim, standing) ->
              compare(standing, Objects.requireNonNull(actual.get(claim)), claim.lock()));
    }
  }

  private void leave(Claim claim) {
    Duration linger = random.nextInt(4) > 0 ? Duration.ZERO : clock == null ? HOUR : uneven(150);
    Departure departure = new Departure(claim, linger, random.nextInt(5) == 0);
    compare(Ask.leave(memory, departure), Ask.leave(store(), departure), claim.lock());
  }

  private void evict(String lock) {
    long modelToken = LockStore.ANY_TOKEN;
    long storedToken = LockStore.ANY_TOKEN;
    TreeMap<Long, Long> known = tokens.get(lock);
    if (known != null && random.nextBoolean()) {
      List<Map.Entry<Long, Long>> pairs = List.copyOf(known.entrySet());
      Map.Entry<Long, Long> recent =
          pairs.get(pairs.size() - 1 - random.nextInt(Math.min(4, pairs.size())));
      modelToken = recent.getKey();
      storedToken = recent.getValue();
    }
    compare(Ask.of(memory.evict(lock, modelToken)), Ask.of(store().evict(lock, storedToken)), lock);
  }

  private void inspect() {
    String lock = lock();
    // A store may promote only when it is touched; the memory store does at once.
    Ask.refresh(store(), Ask.mutex(lock));
    LockInfo expected = Ask.of(memory.inspect(lock));
    LockInfo actual = Ask.of(store().inspect(lock));
    assertThat(actual.kind()).as(context).isEqualTo(expected.kind());
    assertThat(actual.capacity()).as(context).isEqualTo(expected.capacity());
    assertThat(shown(actual.holders())).as(context).isEqualTo(shown(expected.holders()));
    assertThat(shown(actual.waiters())).as(context).isEqualTo(shown(expected.waiters()));
    assertThat(Ask.of(store().list(prefix, 100)).stream().map(LockInfo::name))
        .as(context)
        .isEqualTo(Ask.of(memory.list(prefix, 100)).stream().map(LockInfo::name).toList());
  }

  private void compare(Object expected, Object actual, String lock) {
    if (expected instanceof Granted model && actual instanceof Granted stored) {
      pair(lock, model.token(), stored.token());
      assertThat(stored.wanted()).as(context + ", wanted").isEqualTo(model.wanted());
      assertThat(stored.spares().count()).as(context).isEqualTo(model.spares().count());
      for (int i = 0; i < model.spares().count(); i++) {
        pair(lock, model.spares().first() + i, stored.spares().first() + i);
      }
    } else if (expected instanceof Busy) {
      // Of several holders one may name the first, the other the last.
      assertThat(actual).as(context).isInstanceOf(Busy.class);
    } else {
      assertThat(actual).as(context).isEqualTo(expected);
    }
  }

  private void pair(String lock, long model, long stored) {
    Long known = tokens.computeIfAbsent(lock, name -> new TreeMap<>()).put(model, stored);
    assertThat(known == null || known == stored).as(context + ", same token").isTrue();
  }

  private Claim newClaim() {
    Kind kind = Kind.values()[random.nextInt(random.nextInt(5) == 0 ? 4 : 3)];
    int capacity = kind == Kind.SEMAPHORE ? 3 : kind == Kind.READ_WRITE ? Kind.UNBOUNDED : 1;
    int weight =
        kind == Kind.SEMAPHORE
            ? 1 + random.nextInt(3)
            : kind == Kind.READ_WRITE && random.nextBoolean() ? 1 : capacity;
    Claim claim =
        new Claim(
            UUID.randomUUID().toString(),
            lock(kind),
            kind,
            weight,
            capacity,
            new Owner("host", claims.size(), "thread", "client", "label"),
            clock == null ? HOUR : uneven(100 + random.nextInt(400)),
            random.nextBoolean() ? "value " + claims.size() : null,
            random.nextInt(4) == 0 ? random.nextInt(5) : 0,
            0);
    claims.add(claim.keepable(isKeepable(claim)));
    return claims.get(claims.size() - 1);
  }

  /** One in three of those that may be, where the store would tell their client. */
  private boolean isKeepable(Claim claim) {
    return stores.get(0).traits().tellsHolders()
        && claim.kind().mode(claim.weight()) == Mode.EXCLUSIVE
        && random.nextInt(3) == 0;
  }

  /** A recent claim, sometimes lighter than it was, or keepable, or no more. */
  private void anyClaim(Consumer<Claim> use) {
    if (claims.isEmpty()) {
      return;
    }
    int index = claims.size() - 1 - random.nextInt(Math.min(12, claims.size()));
    Claim claim = claims.get(index);
    if (claim.weight() > 1 && random.nextInt(5) == 0) {
      claim = claim.weighing(1);
    }
    if (random.nextInt(5) == 0) {
      claim = claim.keepable(isKeepable(claim));
    }
    if (claim.weight() < claim.capacity()) {
      claim = claim.keepable(false);
    }
    claims.set(index, claim);
    use.accept(claim);
  }

  private String lock() {
    return lock(Kind.values()[random.nextInt(3)]);
  }

  /** Mostly one lock for each kind, sometimes the wrong one. */
  private String lock(Kind kind) {
    return prefix + (random.nextInt(8) == 0 ? random.nextInt(3) : kind.ordinal() % 3);
  }

  private LockStore store() {
    return stores.get(random.nextInt(stores.size()));
  }

  private static Duration uneven(int millis) {
    return Duration.ofMillis(millis).plusNanos(500_000);
  }

  private static List<String> shown(List<ClaimInfo> infos) {
    return infos.stream()
        .map(
            info ->
                "%s %s %d %s %s"
                    .formatted(
                        info.owner(), info.mode(), info.weight(), info.value(), info.keepable()))
        .toList();
  }
}
