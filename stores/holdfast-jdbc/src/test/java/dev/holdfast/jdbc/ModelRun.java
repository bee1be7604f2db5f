package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The memory store is the reference of the model. Both get the same calls at the same times, and
 * must answer the same: through the lock row or through claim rows, whichever the calls lead to.
 */
final class ModelRun {

  private static final int STEPS = 600;

  private final long seed;
  private final Random random;
  private final ClockedDatabase database;
  private final LockStore memory;
  private final List<LockStore> stores;

  // Mutable state
  private final List<Claim> claims = new ArrayList<>();
  private final Map<String, TreeMap<Long, Long>> tokens = new HashMap<>();
  private String context = "";

  ModelRun(long seed, ClockedDatabase database) {
    this.seed = seed;
    this.database = database;
    random = new Random(seed);
    memory = new MemoryLockStore(new MemorySpace(), database.ticker);
    stores = List.of(database.open(), database.open());
  }

  /** All steps, and what is true of all of them together. */
  void run() throws Exception {
    for (int step = 0; step < STEPS; step++) {
      step(step);
    }
    assertThat(database.number(ClockedDatabase.INCONSISTENT)).as("seed %s", seed).isZero();
    checkTokens();
  }

  private void step(int step) throws Exception {
    context = "seed " + seed + ", step " + step;
    // Whole milliseconds, and ttls that are not: nothing expires at the very moment of a step.
    database.advance(Duration.ofMillis(1 + random.nextInt(random.nextInt(10) == 0 ? 400 : 20)));
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
      distinct.forEach(claim -> compare(expected.get(claim), actual.get(claim), claim.lock()));
    }
  }

  private void leave(Claim claim) {
    Duration linger = Duration.ofMillis(random.nextInt(4) == 0 ? 150 : 0);
    Departure departure =
        new Departure(
            claim, linger.isZero() ? linger : linger.plusNanos(500_000), random.nextInt(5) == 0);
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
    // The database promotes when it is touched, the memory store at once: settle first.
    Ask.refresh(store(), Ask.mutex(lock));
    LockInfo expected = Ask.of(memory.inspect(lock));
    LockInfo actual = Ask.of(store().inspect(lock));
    assertThat(actual.kind()).as(context).isEqualTo(expected.kind());
    assertThat(owners(actual.holders())).as(context).isEqualTo(owners(expected.holders()));
    assertThat(owners(actual.waiters())).as(context).isEqualTo(owners(expected.waiters()));
    assertThat(Ask.of(store().list("", 100)).stream().map(LockInfo::name))
        .as(context)
        .isEqualTo(Ask.of(memory.list("", 100)).stream().map(LockInfo::name).toList());
  }

  private void compare(Object expected, Object actual, String lock) {
    if (expected instanceof Granted model && actual instanceof Granted stored) {
      pair(lock, model.token(), stored.token());
      assertThat(stored.spares().count()).as(context).isEqualTo(model.spares().count());
      for (int i = 0; i < model.spares().count(); i++) {
        pair(lock, model.spares().first() + i, stored.spares().first() + i);
      }
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
            "id-" + seed + "-" + claims.size(),
            lock(kind),
            kind,
            weight,
            capacity,
            new Owner("host", claims.size(), "thread", "client", ""),
            Duration.ofNanos((100 + random.nextInt(400)) * 1_000_000L + 500_000),
            random.nextBoolean() ? "value " + claims.size() : null,
            random.nextInt(4) == 0 ? random.nextInt(5) : 0,
            0);
    claims.add(claim);
    return claim;
  }

  /** A recent claim, sometimes lighter than it was. */
  private void anyClaim(Consumer<Claim> use) {
    if (claims.isEmpty()) {
      return;
    }
    int index = claims.size() - 1 - random.nextInt(Math.min(12, claims.size()));
    Claim claim = claims.get(index);
    if (claim.weight() > 1 && random.nextInt(5) == 0) {
      claim = claim.weighing(1);
      claims.set(index, claim);
    }
    use.accept(claim);
  }

  private String lock() {
    return lock(Kind.values()[random.nextInt(3)]);
  }

  /** Mostly one lock for each kind, sometimes the wrong one. */
  private String lock(Kind kind) {
    return "lock " + (random.nextInt(8) == 0 ? random.nextInt(3) : kind.ordinal() % 3);
  }

  private LockStore store() {
    return stores.get(random.nextInt(stores.size()));
  }

  private static List<Owner> owners(List<ClaimInfo> infos) {
    return infos.stream().map(ClaimInfo::owner).toList();
  }
}
