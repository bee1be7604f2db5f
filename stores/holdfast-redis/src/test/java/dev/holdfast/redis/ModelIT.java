package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
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
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The memory store is the reference of the model. Both get the same calls and must answer the same;
 * ttls are so long that nothing expires meanwhile.
 */
@NeedsServer(Server.REDIS)
class ModelIT {

  private static final int STEPS = 600;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void it_answers_what_the_memory_store_answers(long seed) {
    try (RedisFixture fixture = new RedisFixture(RedisServer.shared().url());
        LockStore one = fixture.open();
        LockStore two = fixture.open()) {
      Run run = new Run(seed, List.of(one, two));
      for (int step = 0; step < STEPS; step++) {
        run.step(step);
      }
      run.checkTokens();
    }
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final String prefix = UUID.randomUUID() + " ";
    private final LockStore memory = new MemoryLockStore(new MemorySpace(), new ManualTicker());
    private final List<LockStore> stores;

    // Mutable state
    private final List<Claim> claims = new ArrayList<>();
    private final Map<String, TreeMap<Long, Long>> tokens = new HashMap<>();
    private String context = "";

    Run(long seed, List<LockStore> stores) {
      this.seed = seed;
      this.stores = stores;
      random = new Random(seed);
    }

    void step(int step) {
      context = "seed " + seed + ", step " + step;
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> join(newClaim());
        case 3 -> anyClaim(this::join);
        case 4, 5 -> refresh();
        case 6, 7 -> anyClaim(this::leave);
        case 8 -> inspect();
        default -> {
          String lock = lock();
          Map.Entry<Long, Long> token = anyToken(lock);
          compare(
              Ask.of(memory.evict(lock, token.getKey())),
              Ask.of(store().evict(lock, token.getValue())),
              lock);
        }
      }
    }

    /** Tokens need not be equal, but must rise in the same order. */
    void checkTokens() {
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
      var expected = Ask.of(memory.refresh(distinct, Deadlines.far()));
      var actual = Ask.of(store().refresh(distinct, Deadlines.far()));
      assertThat(actual).as(context).containsOnlyKeys(expected.keySet());
      distinct.forEach(claim -> compare(expected.get(claim), actual.get(claim), claim.lock()));
    }

    private void leave(Claim claim) {
      Duration linger = random.nextInt(6) == 0 ? Duration.ofHours(1) : Duration.ZERO;
      Departure departure = new Departure(claim, linger, random.nextInt(5) == 0);
      compare(
          Ask.of(memory.leave(List.of(departure), Deadlines.far())),
          Ask.of(store().leave(List.of(departure), Deadlines.far())),
          claim.lock());
    }

    private void inspect() {
      String lock = lock();
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

    /** One of the last of the lock's tokens, in the model and in the store; sometimes any. */
    private Map.Entry<Long, Long> anyToken(String lock) {
      List<Map.Entry<Long, Long>> known =
          List.copyOf(tokens.getOrDefault(lock, new TreeMap<>()).entrySet());
      return known.isEmpty() || random.nextInt(3) == 0
          ? Map.entry(LockStore.ANY_TOKEN, LockStore.ANY_TOKEN)
          : known.get(known.size() - 1 - random.nextInt(Math.min(4, known.size())));
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
              Duration.ofHours(1),
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
      return prefix + (random.nextInt(8) == 0 ? random.nextInt(3) : kind.ordinal() % 3);
    }

    private LockStore store() {
      return stores.get(random.nextInt(stores.size()));
    }

    private static List<String> shown(List<ClaimInfo> infos) {
      return infos.stream()
          .map(info -> info.owner() + " " + info.mode() + info.weight() + " " + info.value())
          .toList();
    }
  }
}
