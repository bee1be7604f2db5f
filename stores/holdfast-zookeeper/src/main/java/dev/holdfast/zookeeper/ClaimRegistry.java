package dev.holdfast.zookeeper;

import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one session and when each of them ends. ZooKeeper ends claims with their session
 * only; this class ends a claim that is not renewed while the session lives.
 *
 * <p>Thread-safe.
 */
final class ClaimRegistry {

  private static final long NEVER = Long.MAX_VALUE;

  private final Ticker ticker;
  private final Consumer<OwnClaim> onExpiry;
  private final long start;

  // Mutable state
  private final ConcurrentHashMap<ClaimKey, OwnClaim> claims = new ConcurrentHashMap<>();
  private final AtomicLong nextSweep = new AtomicLong(NEVER); // since start

  ClaimRegistry(Ticker ticker, Consumer<OwnClaim> onExpiry) {
    this.ticker = ticker;
    this.onExpiry = onExpiry;
    this.start = ticker.nanoTime();
  }

  /** Where a claim is in its life. */
  enum State {
    /** Its create is under way. */
    JOINING,
    /** The answer to its create was lost: its node may exist. */
    UNRESOLVED,
    STORED,
    ENDED
  }

  /**
   * State and deadline change together, so a late renewal is never reported as a success.
   *
   * @param deadline when it ends unless it is renewed; meaningless while it is joining
   * @param lowered the nodes that lowered its weight, or may have
   */
  private record Life(State state, long deadline, Set<String> lowered) {

    static final Life JOINING = new Life(State.JOINING, 0, Set.of());

    Life in(State next, long until) {
      if (state == State.ENDED) {
        return this;
      }
      boolean longer = state == State.JOINING || until - deadline > 0;
      return new Life(next, longer ? until : deadline, lowered);
    }

    boolean isOverdue(long now) {
      return state != State.JOINING && state != State.ENDED && deadline - now <= 0;
    }

    Life ended() {
      return new Life(State.ENDED, deadline, lowered);
    }

    Life loweredBy(String node) {
      Set<String> nodes = new HashSet<>(lowered);
      nodes.add(node);
      return new Life(state, deadline, nodes);
    }
  }

  /**
   * A claim of this client: its state, node and token.
   *
   * <p>Thread-safe: what {@link Life} holds changes by compare-and-set; the rest is written before
   * the state becomes STORED, or only by ZooKeeper's event thread.
   */
  static final class OwnClaim {
    private static final AtomicReferenceFieldUpdater<OwnClaim, Life> LIFE =
        AtomicReferenceFieldUpdater.newUpdater(OwnClaim.class, Life.class, "life");

    final ClaimKey key;

    /** The folder of its lock. */
    final String container;

    /** The answer to its first join. */
    final CompletableFuture<JoinAnswer> joined = new CompletableFuture<>();

    // Mutable state
    private volatile Life life = Life.JOINING;
    private volatile int sparesGiven;
    volatile Claim claim;
    volatile String path = "";
    volatile long token;
    volatile boolean granted;

    /** While it waits: the node of the claim ahead, if there is only one and it can only leave. */
    volatile @Nullable String onlyAhead;

    /** True if the only claim ahead of it was keepable when its queue was last read. */
    volatile boolean behindKeepable;

    /** True if a deletion of its node will be reported. */
    volatile boolean watched;

    /** True if a node marks it as keepable. */
    volatile boolean keepable;

    /** True if no other claim waited when its queue was last read. */
    volatile boolean alone;

    OwnClaim(Claim claim) {
      this.key = new ClaimKey(claim.lock(), claim.id());
      this.container = NodePaths.container(claim.lock());
      this.claim = claim;
    }

    boolean is(State expected) {
      return life.state == expected;
    }

    /** {@return when it ends unless it is renewed} */
    long deadline() {
      return life.deadline;
    }

    /** {@return the nodes that lowered its weight, or may have} */
    Set<String> lowered() {
      return life.lowered;
    }

    /** Adds a node that is about to lower its weight. */
    void lower(String node) {
      LIFE.updateAndGet(this, last -> last.loweredBy(node));
    }

    /** {@return false if it has ended; otherwise it lives in this state, until then at least} */
    private boolean live(State next, long until) {
      return LIFE.updateAndGet(this, last -> last.in(next, until)).state != State.ENDED;
    }

    /** {@return true if no deletion of its node would be reported} */
    boolean needsWatch() {
      return is(State.STORED) && !watched;
    }

    String name() {
      return NodePaths.name(path);
    }

    Granted grant(int spares) {
      int given = sparesGiven;
      Tokens reserved = Tokens.sparesOfRevision(token, given, spares);
      sparesGiven = given + reserved.count();
      return new Granted(token, reserved);
    }

    /**
     * @return the claim as a refresh changes it, or null if it changes nothing; a weight never
     *     rises
     */
    @Nullable Claim changed(Claim asked) {
      boolean lower = asked.weight() < claim.weight();
      if (!lower && Objects.equals(asked.value(), claim.value())) {
        return null;
      }
      return lower ? asked : asked.weighing(claim.weight());
    }
  }

  @Nullable OwnClaim get(ClaimKey key) {
    return claims.get(key);
  }

  /** {@return the claim whose node has this path} */
  @Nullable OwnClaim at(String path) {
    OwnClaim own = get(path);
    return own != null && own.path.equals(path) ? own : null;
  }

  /** {@return the claim that the node of this path belongs to, or may turn out to} */
  @Nullable OwnClaim get(String path) {
    String id = ClaimNode.idOf(NodePaths.name(path));
    return claims.get(new ClaimKey(NodePaths.lockOf(path), id));
  }

  Collection<OwnClaim> all() {
    return claims.values();
  }

  /** {@return the claim that is registered already, or null if this one now is} */
  @Nullable OwnClaim add(OwnClaim own) {
    return claims.putIfAbsent(own.key, own);
  }

  /**
   * Records the claim's node.
   *
   * @param deadline until when it lives at least
   * @return false if the claim has ended meanwhile
   */
  boolean stored(OwnClaim own, String path, long token, long deadline) {
    own.path = path;
    own.token = token;
    sweepAt(deadline);
    return own.live(State.STORED, deadline);
  }

  /** {@return true if this call has ended it} */
  boolean end(OwnClaim own) {
    boolean first = OwnClaim.LIFE.getAndUpdate(own, Life::ended).state != State.ENDED;
    claims.remove(own.key, own);
    return first;
  }

  /** The answer to the create was lost: the claim may have a node, and must not get a second. */
  void unresolved(OwnClaim own, long deadline) {
    own.live(State.UNRESOLVED, deadline);
    sweepAt(deadline);
  }

  /**
   * Extends the claim's life.
   *
   * @param sent when the request that renewed it was sent
   * @return false if the claim has ended, or should have by now
   */
  boolean renewed(OwnClaim own, long sent) {
    Duration ttl = own.granted ? own.claim.ttl() : own.claim.waitingTtl();
    long until = sent + ttl.toNanos();
    sweepAt(until);
    Life life = OwnClaim.LIFE.updateAndGet(own, last -> last.in(last.state, until));
    return life.state != State.ENDED && life.deadline - ticker.nanoTime() > 0;
  }

  void endAll() {
    all().forEach(this::end);
  }

  private void sweepAt(long time) {
    long at = time - start;
    if (at < nextSweep.getAndAccumulate(at, Math::min)) {
      long delay = Math.max(0, time - ticker.nanoTime());
      ticker.schedule(Duration.ofNanos(delay), () -> sweep(at));
    }
  }

  private void sweep(long at) {
    if (!nextSweep.compareAndSet(at, NEVER)) {
      return; // an earlier sweep was requested since, and plans the next
    }
    long now = ticker.nanoTime();
    long next = NEVER;
    for (OwnClaim own : all()) {
      Life life = own.life;
      if (life.isOverdue(now) && OwnClaim.LIFE.compareAndSet(own, life, life.ended())) {
        end(own);
        onExpiry.accept(own);
      } else if (!own.is(State.JOINING)) {
        next = Math.min(next, own.deadline() - start); // perhaps renewed meanwhile
      }
    }
    if (next != NEVER) {
      sweepAt(start + next);
    }
  }
}
