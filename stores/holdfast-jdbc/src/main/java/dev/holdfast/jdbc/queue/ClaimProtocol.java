package dev.holdfast.jdbc.queue;

import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.GroupPath.Verb;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a claim joins, is refreshed and leaves: the paths that cost one request come first, the
 * {@link SlowPath} has the last word. Which of them is first is a guess: what was right for this
 * client's last claim, of any lock, is probably right for the next. A wrong guess costs a request
 * and changes no answer, because a path that does not apply does nothing.
 *
 * <p>Thread-safe.
 */
public final class ClaimProtocol {

  private final FastPath fast;
  private final @Nullable QueuePath path;
  private final @Nullable GroupPath group;
  private final SlowPath slow;
  private final BiConsumer<String, List<String>> promoted;
  private final Ticker ticker;

  // Mutable state
  private volatile boolean joinFoundOthers;
  private volatile boolean joinWasRefused; // or queued
  private volatile boolean leaveFoundOthers;

  /**
   * All paths.
   *
   * @param path null where the database has no such path
   * @param group null where the database has no such path
   * @param ticker this client's clock
   * @param promoted receives the lock and the id of the claim that was granted
   */
  public ClaimProtocol(
      FastPath fast,
      @Nullable QueuePath path,
      @Nullable GroupPath group,
      SlowPath slow,
      BiConsumer<String, List<String>> promoted,
      Ticker ticker) {
    this.fast = fast;
    this.path = path;
    this.group = group;
    this.slow = slow;
    this.promoted = promoted;
    this.ticker = ticker;
  }

  public JoinAnswer join(StoreConnection connection, Claim claim, boolean wait)
      throws SQLException {
    QueuePath queue = wait ? pathOf(claim) : null;
    if (queue == null) {
      JoinAnswer answer =
          wait || isRaised(claim)
              ? fast.join(connection, claim)
              : fast.joinOrBusy(connection, claim);
      return joined(answer != null ? answer : slow.join(connection, claim, wait));
    }
    boolean others = joinFoundOthers;
    JoinAnswer answer = others ? queue.enqueue(connection, claim) : fast.join(connection, claim);
    if (answer == null) {
      answer = others ? fast.join(connection, claim) : queue.enqueue(connection, claim);
    }
    if (answer == null) {
      answer = slow.join(connection, claim, wait);
    }
    joinFoundOthers = answer instanceof Queued;
    return joined(answer);
  }

  private JoinAnswer joined(JoinAnswer answer) {
    joinWasRefused = !(answer instanceof Granted);
    return answer;
  }

  /** Returns what a group asks for a claim that joins; null if it is to be asked alone. */
  public GroupPath.@Nullable Request taking(Claim claim) {
    return joinWasRefused || isRaised(claim) ? null : new GroupPath.Request(Verb.TAKE, claim);
  }

  /**
   * Returns what a group asks for a claim that is renewed; null if it is to be asked alone.
   *
   * @param mayHold true unless it is known to wait
   */
  public GroupPath.@Nullable Request renewing(Claim claim, boolean mayHold) {
    return !mayHold || claim.spares() > 0 || isRaised(claim)
        ? null
        : new GroupPath.Request(Verb.RENEW, claim);
  }

  /** Returns what a group asks for a claim that leaves; null if it is to be asked alone. */
  public GroupPath.@Nullable Request releasing(Claim claim) {
    return leaveFoundOthers ? null : new GroupPath.Request(Verb.RELEASE, claim);
  }

  /** Returns whether one request renews this claim while it waits. */
  public boolean renewsInOne(StoreConnection connection, Claim claim) {
    QueuePath queue = pathOf(claim);
    return queue != null && claim.spares() == 0 && queue.renews(connection);
  }

  /**
   * Renews the claim.
   *
   * @param mayHold true unless it is known to wait
   */
  public Standing refresh(StoreConnection connection, Claim claim, boolean mayHold)
      throws SQLException {
    QueuePath queue = pathOf(claim);
    Standing standing = null;
    if (isRaised(claim)) {
      return slow.refresh(connection, claim);
    }
    if (mayHold) {
      standing = fast.refresh(connection, claim);
    } else if (queue != null) {
      standing = queue.renew(connection, claim);
    }
    return standing != null ? standing : slow.refresh(connection, claim);
  }

  /**
   * Renews claims together. Those are left out whose lock row another transaction has locked: they
   * are to be renewed alone.
   */
  public Map<Claim, Standing> refresh(StoreConnection connection, List<Claim> claims)
      throws SQLException {
    Map<Claim, Standing> answers = new HashMap<>();
    List<GroupPath.Request> simple = new ArrayList<>();
    for (Claim claim : claims) {
      GroupPath.Request renewal = renewing(claim, true);
      if (renewal != null) {
        simple.add(renewal);
      }
    }
    if (group != null && !simple.isEmpty()) {
      group
          .run(connection, simple)
          .forEach((claim, token) -> answers.put(claim, new Granted(token)));
    }
    List<Claim> others = claims.stream().filter(claim -> !answers.containsKey(claim)).toList();
    if (!others.isEmpty()) {
      answers.putAll(slow.refreshUnlocked(connection, others));
    }
    return answers;
  }

  /**
   * Returns whether the lock row must note the claim's floor, which the short paths do not: see
   * {@link Tokens#noted}. A floor that a client has merely seen is not ahead of its clock.
   */
  private boolean isRaised(Claim claim) {
    return claim.floor() != 0 && claim.floor() > ticker.wallMicros();
  }

  /** Releases or withdraws the claim, without linger or tombstone. */
  public Map<Claim, Left> leave(StoreConnection connection, Claim claim) throws SQLException {
    QueuePath queue = pathOf(claim);
    boolean left =
        queue == null
            ? fast.leave(connection, claim)
            : releasedOrHandedOff(queue, connection, claim);
    return left ? Map.of(claim, Left.LEFT) : slow.leave(connection, List.of(Departure.of(claim)));
  }

  private @Nullable QueuePath pathOf(Claim claim) {
    return claim.capacity() == 1 && !isRaised(claim) ? path : null;
  }

  private boolean releasedOrHandedOff(QueuePath queue, StoreConnection connection, Claim claim)
      throws SQLException {
    boolean others = leaveFoundOthers;
    if (others && handedOff(queue, connection, claim)) {
      return true;
    }
    boolean released = fast.leave(connection, claim);
    leaveFoundOthers = !released;
    return released || (!others && handedOff(queue, connection, claim));
  }

  private boolean handedOff(QueuePath queue, StoreConnection connection, Claim claim)
      throws SQLException {
    String granted = queue.handOff(connection, claim);
    if (granted != null) {
      promoted.accept(claim.lock(), List.of(granted));
    }
    return granted != null;
  }
}
