package dev.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Queued;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The fast paths are there for speed: the whole scripts would have replied the same. Both get the
 * same calls, by a clock that the test sets, forward so that claims expire, and back.
 */
@NeedsServer(Server.REDIS)
class FastPathsIT {

  private static final int LOCKS = 40;
  private static final int STEPS = 40;
  private static final Duration TTL = Duration.ofSeconds(30);

  /** Years ahead, so that the server, whose clock is another, removes nothing. */
  private static final long START = 2_200_000_000_000_000L;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void they_answer_what_the_whole_scripts_answer(long seed) {
    RedisClient client = RedisClient.create(RedisServer.shared().url());
    try (var connection = client.connect()) {
      RedisCommands<String, String> redis = connection.sync();
      World brief =
          World.of(redis, Script.JOIN, Script.REFRESH, Script.LEAVE, Script.EVICT, Script.INSPECT);
      World whole =
          World.of(
              redis, whole("join"), whole("refresh"), whole("leave"), Script.EVICT, Script.INSPECT);
      Run run = new Run(new Random(seed), brief, whole);
      for (int lock = 0; lock < LOCKS; lock++) {
        run.lock("lock " + lock, "seed " + seed + ", lock " + lock);
      }
      assertThat(run.pairs).as("locks with a holder and one that waits").isPositive();
      assertThat(run.notified).as("holders that learned that they are wanted").isPositive();
    } finally {
      client.shutdown();
    }
  }

  private static Script whole(String verb) {
    return Script.of(verb, true, "start", "records", "queue", verb);
  }

  /** One kind of scripts, with its own locks, clock and messages. */
  private record World(
      RedisCommands<String, String> redis,
      String name,
      String join,
      String refresh,
      String leave,
      String evict,
      String inspect) {

    static World of(
        RedisCommands<String, String> redis,
        Script join,
        Script refresh,
        Script leave,
        Script evict,
        Script inspect) {
      String name = UUID.randomUUID().toString();
      return new World(
          redis,
          name,
          load(redis, name, join),
          load(redis, name, refresh),
          load(redis, name, leave),
          load(redis, name, evict),
          load(redis, name, inspect));
    }

    private static String load(RedisCommands<String, String> redis, String name, Script script) {
      assertThat(script.text()).contains("redis.call('TIME')");
      return redis.scriptLoad(
          script
              .text()
              .replace("redis.call('TIME')", "redis.call('LRANGE', '" + name + ":clock', 0, 1)")
              .replace("redis.call('PUBLISH', ", "redis.call('RPUSH', '" + name + ":told', "));
    }

    void set(long micros) {
      redis.del(name + ":clock", name + ":told");
      redis.rpush(name + ":clock", "" + micros / 1_000_000, "" + micros % 1_000_000);
    }

    Reply run(String script, String lock, String... arguments) {
      String[] keys = {key(lock), key(lock) + ":line"};
      List<?> answer = redis.evalsha(script, ScriptOutputType.MULTI, keys, arguments);
      return Reply.of(answer.get(0));
    }

    String key(String lock) {
      return name + ":{" + lock + "}";
    }

    List<String> told() {
      return redis.lrange(name + ":told", 0, -1).stream()
          .map(text -> text.replace(name, ""))
          .toList();
    }

    boolean isPair(String lock) {
      return String.valueOf(redis.hget(key(lock), "lock")).startsWith("4 p ");
    }
  }

  private static final class Run {
    private final Random random;
    private final World brief;
    private final World whole;

    // Mutable state
    private final List<Claim> claims = new ArrayList<>();
    private long now = START;
    private int pairs;
    private int notified;

    Run(Random random, World brief, World whole) {
      this.random = random;
      this.brief = brief;
      this.whole = whole;
    }

    void lock(String lock, String context) {
      claims.clear();
      for (int step = 0; step < STEPS; step++) {
        now += elapsed();
        brief.set(now);
        whole.set(now);
        step(lock, context + ", step " + step);
        assertThat(brief.told()).as(context + ", step " + step).isEqualTo(whole.told());
        pairs += brief.isPair(lock) ? 1 : 0;
      }
    }

    /** Mostly a moment, sometimes a part of a ttl, and now and then it is set back. */
    private long elapsed() {
      long ttl = ClaimRecord.micros(TTL);
      return switch (random.nextInt(20)) {
        case 0 -> -random.nextLong(ttl);
        case 1 -> ttl;
        case 2, 3, 4 -> ttl / (1 + random.nextInt(4));
        default -> random.nextInt(100);
      };
    }

    private void step(String lock, String context) {
      int verb = random.nextInt(10);
      if (claims.isEmpty() || verb < 3) {
        claims.add(claim(lock));
      }
      // Mostly about those who came last: who came first has mostly ended.
      Claim claim = claims.get(Math.max(0, claims.size() - 1 - random.nextInt(3)));
      Claim asking = claim.asking(random.nextInt(8) / 7, floor()).keepable(random.nextInt(4) == 0);
      String text = ClaimRecord.of(asking, asking.owner().thread());
      String wait = random.nextInt(4) == 0 ? "0" : "1";
      String leave = random.nextInt(6) == 0 ? "1000000 30000000 " + text : "0 0";
      switch (verb) {
        case 0, 1, 2, 3 -> {
          JoinAnswer answer = whole.run(whole.join, lock, claim.id(), text, wait).joined();
          assertThat(brief.run(brief.join, lock, claim.id(), text, wait).joined())
              .as(context)
              .isEqualTo(answer);
          notified += answer instanceof Queued queued && queued.behindKeepable() ? 1 : 0;
        }
        case 4, 5 ->
            assertThat(brief.run(brief.refresh, lock, claim.id(), text).standing())
                .as(context)
                .isEqualTo(whole.run(whole.refresh, lock, claim.id(), text).standing());
        case 6, 7 ->
            assertThat(brief.run(brief.leave, lock, claim.id(), leave).left())
                .as(context)
                .isEqualTo(whole.run(whole.leave, lock, claim.id(), leave).left());
        case 8 -> assertThat(inspected(brief, lock)).as(context).isEqualTo(inspected(whole, lock));
        default -> evict(lock, context);
      }
    }

    private void evict(String lock, String context) {
      if (random.nextInt(4) == 0) {
        String token = random.nextInt(3) == 0 ? "0" : tokenNearby(lock);
        assertThat(brief.run(brief.evict, lock, token).left())
            .as(context)
            .isEqualTo(whole.run(whole.evict, lock, token).left());
      }
    }

    /** In a lock's own record a claim is as old as its token, which the clock may have to reach. */
    private LockInfo inspected(World world, String lock) {
      LockInfo info = world.run(world.inspect, lock).info(lock);
      List<ClaimInfo> holders = new ArrayList<>();
      for (ClaimInfo it : info.holders()) {
        Duration age = it.token() > now ? Duration.ZERO : it.age();
        holders.add(
            new ClaimInfo(
                it.owner(),
                it.mode(),
                it.weight(),
                it.token(),
                it.lastToken(),
                age,
                it.remaining(),
                it.keepable(),
                it.value()));
      }
      return new LockInfo(lock, info.kind(), info.capacity(), holders, info.waiters());
    }

    /** That of a holder, or one a little greater or smaller. */
    private String tokenNearby(String lock) {
      List<ClaimInfo> holders = whole.run(whole.inspect, lock).info(lock).holders();
      long token = holders.isEmpty() ? now : holders.get(0).token();
      return Long.toString(token + random.nextInt(4) - 1);
    }

    private long floor() {
      return random.nextInt(8) == 0 ? now + random.nextInt(10) - 5 : 0;
    }

    private Claim claim(String lock) {
      boolean mutex = random.nextInt(8) > 0;
      Kind kind = mutex ? Kind.MUTEX : Kind.SEMAPHORE;
      int capacity = mutex ? 1 : 2;
      int weight = mutex ? 1 : 1 + random.nextInt(2);
      String id = Long.toHexString(random.nextLong());
      Owner owner = new Owner("host", 1, "thread-" + claims.size(), "client", "");
      String value = random.nextInt(4) == 0 ? "some value" : null;
      return new Claim(id, lock, kind, weight, capacity, owner, TTL, value, 0, 0);
    }
  }
}
