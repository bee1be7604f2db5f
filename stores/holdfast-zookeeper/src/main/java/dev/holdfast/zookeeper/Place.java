package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Tokens;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What this client knows of one claim of its own.
 *
 * <p><b>Threads.</b> State and deadline change by compare-and-set; the rest is written before the
 * state says that it is there, or by ZooKeeper's event thread alone.
 */
final class Place {

  /** Where a claim is; two locks may be given the same id. */
  record Key(String lock, String id) {
    static Key of(Claim claim) {
      return new Key(claim.lock(), claim.id());
    }
  }

  enum State {
    /** Its create is on the way. */
    JOINING,
    /** The answer to its create got lost: it may be there. */
    UNCERTAIN,
    THERE,
    ENDED
  }

  // Not atomic objects: there may be very many places, and each would weigh as much as its field.
  private static final AtomicReferenceFieldUpdater<Place, Life> LIFE =
      AtomicReferenceFieldUpdater.newUpdater(Place.class, Life.class, "life");
  private static final AtomicIntegerFieldUpdater<Place> SPARES_GIVEN =
      AtomicIntegerFieldUpdater.newUpdater(Place.class, "sparesGiven");
  private static final AtomicReferenceFieldUpdater<Place, Nodes> LOWERED =
      AtomicReferenceFieldUpdater.newUpdater(Place.class, Nodes.class, "lowered");

  final Key key;

  /** The folder of its lock. */
  final String container;

  /** What its first join came to. */
  final CompletableFuture<JoinAnswer> joined = new CompletableFuture<>();

  // Mutable state
  private volatile Life life = new Life(State.JOINING, 0);
  private volatile int sparesGiven;
  private volatile Nodes lowered = Nodes.NONE;
  volatile Claim claim;
  volatile String path = "";
  volatile long token;
  volatile boolean granted;

  /** While it waits: the node of the claim ahead, if there is one only and it can only go. */
  volatile @Nullable String onlyAhead;

  /** Whether a deletion of its node is going to be reported. */
  volatile boolean watched;

  Place(Claim claim) {
    this.key = Key.of(claim);
    this.container = Names.container(claim.lock());
    this.claim = claim;
  }

  boolean is(State expected) {
    return life.state == expected;
  }

  /** When it ends unless it is renewed; of one that is joining nobody knows. */
  long deadline() {
    return life.deadline;
  }

  /** Returns false if it is in another state than this. */
  boolean move(State from, State to, long deadline) {
    Life now = life;
    return now.state == from && LIFE.compareAndSet(this, now, new Life(to, deadline));
  }

  /** Makes it live until then, or longer. Returns false if it has ended, or ought to have. */
  boolean live(long until, long now) {
    Life next =
        LIFE.updateAndGet(
            this,
            last -> last.state == State.ENDED ? last : new Life(last.state, last.later(until)));
    return next.state != State.ENDED && next.deadline - now > 0;
  }

  /** Ends it if its time is over. Returns whether that was now. */
  boolean expire(long now) {
    Life last = life;
    return last.isOver(now) && LIFE.compareAndSet(this, last, new Life(State.ENDED, last.deadline));
  }

  /** Returns whether it had not ended before. */
  boolean end() {
    return LIFE.getAndUpdate(this, last -> new Life(State.ENDED, last.deadline)).state
        != State.ENDED;
  }

  /** State and deadline change together: nobody is told of a renewal that came too late. */
  private record Life(State state, long deadline) {

    boolean isOver(long now) {
      return state != State.JOINING && state != State.ENDED && deadline - now <= 0;
    }

    long later(long until) {
      return state == State.JOINING || until - deadline > 0 ? until : deadline;
    }
  }

  /** The nodes that lowered its weight, or may have. */
  List<String> lowered() {
    return lowered.paths;
  }

  /** This node is one of them from now on. */
  void lower(String node) {
    LOWERED.updateAndGet(this, before -> before.plus(node));
  }

  /** Some nodes. */
  private record Nodes(List<String> paths) {

    static final Nodes NONE = new Nodes(List.of());

    Nodes plus(String path) {
      return new Nodes(Stream.concat(paths.stream(), Stream.of(path)).distinct().toList());
    }
  }

  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  Granted grant(int spares) {
    int given = sparesGiven;
    Tokens reserved = Tokens.sparesOfRevision(token, given, spares);
    SPARES_GIVEN.addAndGet(this, reserved.count());
    return new Granted(token, reserved);
  }

  /** What a refresh asks to change, or null; a weight is only ever lowered. */
  @Nullable Claim changed(Claim asked) {
    boolean lower = asked.weight() < claim.weight();
    boolean other = !Objects.equals(asked.value(), claim.value());
    if (!lower && !other) {
      return null;
    }
    return lower ? asked : asked.weighing(claim.weight());
  }
}
