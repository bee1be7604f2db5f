package dev.holdfast.testkit.explorer;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A small world: some clients, what their callers want of one lock, and what may happen to them.
 *
 * @param name for people
 * @param kind the kind of lock
 * @param capacity of a semaphore; otherwise 1
 * @param wishes what the callers want, in the order in which they ask if nothing intervenes
 * @param options of every request
 * @param faults how many messages may be lost, doubled or refused in one run
 * @param incidents what else may happen, each once in a run
 * @param deviations how many times a run may leave its usual order
 * @param kept whether client 0 has come back to the lock before, and keeps a claim
 */
public record World(
    String name,
    Kind kind,
    int capacity,
    List<Wish> wishes,
    LockOptions options,
    int faults,
    Set<Incident> incidents,
    int deviations,
    boolean kept) {

  /** How long a claim lives. */
  public static final Duration TTL = Duration.ofMillis(1_000);

  /** How long one operation may take. */
  public static final Duration OPERATION_TIMEOUT = Duration.ofMillis(600);

  /** What may happen to a world besides messages and time. */
  public enum Incident {
    /** A caller cancels its request. */
    CANCEL,
    /** An operator breaks the lock. */
    BREAK,
    /** A client is closed. */
    CLOSE,
    /** No message of a client arrives for a while. */
    CUT_OFF,
    /** The store refuses every call of a client at once, for a while. */
    REFUSE_ALL,
    /** The caller raises the floor of a client. */
    RAISE_FLOOR,
    /** A holder extends its lease. */
    EXTEND,
    /** A writer becomes a reader. */
    DOWNGRADE,
    /** A holder detaches its lease, which a client attaches later. */
    DETACH
  }

  /** Copies the collections. */
  public World {
    wishes = List.copyOf(wishes);
    incidents = Set.copyOf(incidents);
  }

  /** Without faults and incidents. */
  public static World of(String name, Kind kind, int capacity, Wish... wishes) {
    LockOptions options = LockOptions.defaults().ttl(TTL);
    return new World(name, kind, capacity, List.of(wishes), options, 0, Set.of(), 2, false);
  }

  /** The same with this many faults. */
  public World withFaults(int count) {
    return new World(name, kind, capacity, wishes, options, count, incidents, deviations, kept);
  }

  /** The same with these incidents. */
  public World with(Incident first, Incident... more) {
    return new World(
        name, kind, capacity, wishes, options, faults, EnumSet.of(first, more), deviations, kept);
  }

  /** The same with these options. */
  public World with(LockOptions others) {
    return new World(name, kind, capacity, wishes, others, faults, incidents, deviations, kept);
  }

  /** The same, to be explored with this many deviations. */
  public World deviating(int count) {
    return new World(name, kind, capacity, wishes, options, faults, incidents, count, kept);
  }

  /** The same, where client 0 keeps a claim at the beginning. */
  public World keeping() {
    return new World(name, kind, capacity, wishes, options, faults, incidents, deviations, true);
  }

  /** How many clients there are. */
  public int clients() {
    return wishes.stream().mapToInt(Wish::client).max().orElse(0) + 1;
  }
}
