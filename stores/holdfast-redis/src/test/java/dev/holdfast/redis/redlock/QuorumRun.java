package dev.holdfast.redis.redlock;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.redis.redlock.NodeModel.Flaw;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Clients of the store's own code over modelled nodes: messages are late, reordered and lost,
 * holders die, nodes forget everything or come back with an old snapshot, clocks end claims early.
 * Counts what must not happen. Every run follows from its seed. One thread.
 */
final class QuorumRun {

  private static final Duration TTL = Duration.ofMillis(1_000);
  private static final Duration TIMEOUT = Duration.ofMillis(200);
  private static final Duration LONGEST_RUN = Duration.ofHours(2);
  private static final int LOSES_PERCENT = 5;
  private static final int CLIENTS = 4;

  private final ManualTicker ticker = new ManualTicker();
  private final List<NodeModel> nodes = new ArrayList<>();
  private final Map<String, Line> lines = new HashMap<>();
  private final long seed;
  private final Random random;
  private final int locks;

  // Mutable state
  private int grants;
  private int overlaps;
  private int disorders;
  private int restarts;
  private int id;

  /** The tokens that one lock has handed out, and who believes to hold it. */
  private static final class Line {
    final Set<Long> reported = new HashSet<>();
    long greatest;
    long heldUntil = Long.MIN_VALUE;
    String holder = "";
  }

  /**
   * @param nodes how many; with few nodes and as few locks, rare things happen more often
   * @param restarts whether nodes come back empty, or with an old snapshot
   * @param jumps whether nodes end claims early
   */
  QuorumRun(long seed, int nodes, boolean restarts, boolean jumps, @Nullable Flaw flaw) {
    this.seed = seed;
    this.locks = nodes / 2;
    this.random = new Random(seed);
    for (int i = 0; i < nodes; i++) {
      this.nodes.add(new NodeModel(ticker, random, flaw));
    }
    if (restarts) {
      later(500, this::restart);
    }
    if (jumps) {
      later(100, this::jump);
    }
  }

  /** Runs until that many were granted, or one token is out of order. */
  QuorumRun until(int granted) {
    for (int i = 0; i < CLIENTS; i++) {
      List<ScriptRunner> links = new ArrayList<>();
      nodes.forEach(node -> links.add(node.link(LOSES_PERCENT)));
      RedlockLockStore store =
          new RedlockLockStore(
              new Quorum("model", new Keys("m:"), links, ticker, TIMEOUT, TTL, random::nextLong));
      later(50, () -> turn(store));
    }
    while (grants < granted && disorders == 0) {
      ticker.advanceToNext();
      if (now() > LONGEST_RUN.toMillis()) {
        throw new AssertionError("seed " + seed + ": only " + grants + " grants in time");
      }
    }
    return this;
  }

  /** How often two believed to hold a lock. */
  int overlaps() {
    return overlaps;
  }

  /**
   * How many tokens were no greater than those reported before they were asked for, or given twice.
   */
  int disorders() {
    return disorders;
  }

  /** How many nodes have been restarted. */
  int restarts() {
    return restarts;
  }

  /** A client takes a lock, keeps it for a while or dies, and starts again. */
  private void turn(RedlockLockStore store) {
    int spares = random.nextInt(4) == 0 ? 3 : 0;
    join(store, claim("lock " + random.nextInt(locks), spares));
  }

  private void join(RedlockLockStore store, Claim claim) {
    Line line = lines.computeIfAbsent(claim.lock(), name -> new Line());
    long sent = now();
    long before = line.greatest;
    store
        .join(claim, false, deadline())
        .whenComplete(
            (answer, failure) -> {
              if (answer instanceof Granted granted) {
                grants++;
                check(line, before, granted.token(), granted.token());
                check(line, granted.token(), granted.spares());
                hold(store, claim, line, sent);
              } else if (failure != null && random.nextBoolean()) {
                join(store, claim); // the answer may have been lost, not the question
              } else {
                if (failure != null) {
                  store.leave(List.of(Departure.withTombstone(claim)), deadline());
                }
                later(60, () -> turn(store));
              }
            });
  }

  private void hold(RedlockLockStore store, Claim claim, Line line, long sent) {
    believe(line, claim, sent);
    int choice = random.nextInt(10);
    if (choice == 0) {
      later(100, () -> turn(store)); // it dies without a word
    } else if (choice < 4) {
      later(250, () -> refresh(store, claim, line));
    } else {
      later(100, () -> release(store, claim, line));
    }
  }

  private void refresh(RedlockLockStore store, Claim claim, Line line) {
    long sent = now();
    long before = line.greatest;
    store
        .refresh(List.of(claim), deadline())
        .thenAccept(
            standings -> {
              if (standings.get(claim) instanceof Granted granted) {
                check(line, before, granted.spares());
                hold(store, claim, line, sent);
              } else {
                release(store, claim, line);
              }
            });
  }

  private void release(RedlockLockStore store, Claim claim, Line line) {
    if (line.holder.equals(claim.id())) {
      line.heldUntil = Math.min(line.heldUntil, now());
    }
    store.leave(List.of(Departure.of(claim)), deadline());
    later(60, () -> turn(store));
  }

  /** As the engine does: valid for three quarters of the ttl since the send. */
  private void believe(Line line, Claim claim, long sent) {
    long until = sent + TTL.toMillis() * 3 / 4;
    if (until <= now()) {
      return;
    }
    if (!line.holder.equals(claim.id()) && line.heldUntil > now()) {
      overlaps++;
    }
    line.holder = claim.id();
    line.heldUntil = until;
  }

  private void check(Line line, long before, Tokens tokens) {
    if (tokens.count() > 0) {
      check(line, before, tokens.first(), tokens.last());
    }
  }

  /** Greater than all that were reported before this was asked for, and not one of them. */
  private void check(Line line, long before, long first, long last) {
    if (first <= before) {
      disorders++;
    }
    for (long token = first; token <= last; token++) {
      disorders += line.reported.add(token) ? 0 : 1;
    }
    line.greatest = Math.max(line.greatest, last);
  }

  // A quorum remembers at any time: what else happens is not for the protocol to mend.
  private void restart() {
    long remembering = nodes.stream().filter(NodeModel::remembers).count();
    NodeModel node = nodes.get(random.nextInt(nodes.size()));
    if (node.remembers() && remembering > nodes.size() / 2 + 1) {
      node.restart();
      restarts++;
    }
    NodeModel other = nodes.get(random.nextInt(nodes.size()));
    if (random.nextBoolean()) {
      other.save();
    }
    later(1_500 * locks, this::restart);
  }

  private void jump() {
    nodes.get(random.nextInt(nodes.size())).endEarly();
    later(200, this::jump);
  }

  private void later(int upToMillis, Runnable task) {
    ticker.schedule(Duration.ofMillis(1 + random.nextInt(upToMillis)), task);
  }

  private Deadline deadline() {
    return Deadline.in(TIMEOUT.multipliedBy(3), ticker);
  }

  private long now() {
    return ticker.sinceStart().toMillis();
  }

  private Claim claim(String lock, int spares) {
    Owner owner = new Owner("host", 1, "thread", "client", "");
    String name = "claim " + id++;
    return new Claim(name, lock, Kind.MUTEX, 1, 1, owner, TTL, null, spares, 0);
  }
}
