package dev.holdfast.jdbc;

import static java.util.Objects.requireNonNull;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The way of a claim to its lock and back: those that cost one request are tried first, the {@link
 * SlowPath} has the last word. Which of them comes first is a guess: what was right for this
 * client's last claim, of whatever lock, is likely to be right for the next. A wrong guess costs a
 * request and changes no answer, because a path that is not the right one does nothing.
 *
 * <p>Safe for any threads.
 */
final class Paths {

  private final FastPath fast;
  private final @Nullable HandOff handOff;
  private final SlowPath slow;
  private final BiConsumer<String, List<String>> promoted;
  private final Ticker ticker;

  // Mutable state
  private volatile boolean joinFoundOthers;
  private volatile boolean leaveFoundOthers;

  /**
   * All paths.
   *
   * @param handOff null where the database has no such path
   * @param ticker this client's clock
   * @param promoted hears which claim of a lock was let in, by its id
   */
  Paths(
      FastPath fast,
      @Nullable HandOff handOff,
      SlowPath slow,
      BiConsumer<String, List<String>> promoted,
      Ticker ticker) {
    this.fast = fast;
    this.handOff = handOff;
    this.slow = slow;
    this.promoted = promoted;
    this.ticker = ticker;
  }

  JoinAnswer join(Session session, Claim claim, boolean wait) throws SQLException {
    HandOff queue = wait ? handOffOf(claim) : null;
    if (queue == null) {
      JoinAnswer answer =
          wait || isRaised(claim) ? fast.join(session, claim) : fast.joinOrBusy(session, claim);
      return answer != null ? answer : slow.join(session, claim, wait);
    }
    boolean others = joinFoundOthers;
    JoinAnswer answer = others ? queue.queueUp(session, claim) : fast.join(session, claim);
    if (answer == null) {
      answer = others ? fast.join(session, claim) : queue.queueUp(session, claim);
    }
    if (answer == null) {
      answer = slow.join(session, claim, wait);
    }
    joinFoundOthers = answer instanceof Queued;
    return answer;
  }

  /** Whether one request tells how this claim stands, if it waits, and renews it. */
  boolean renewsInOne(Session session, Claim claim) {
    HandOff queue = handOffOf(claim);
    return queue != null && claim.spares() == 0 && queue.renews(session);
  }

  /**
   * How the claim stands, renewed.
   *
   * @param mayHold whether it waits for nobody, as far as is known here
   */
  Standing refresh(Session session, Claim claim, boolean mayHold) throws SQLException {
    HandOff queue = handOffOf(claim);
    Standing standing = null;
    if (isRaised(claim)) {
      return slowly(session, claim);
    }
    if (mayHold) {
      standing = fast.refresh(session, claim);
    } else if (queue != null) {
      standing = queue.renew(session, claim);
    }
    return standing != null ? standing : slowly(session, claim);
  }

  private Standing slowly(Session session, Claim claim) throws SQLException {
    return requireNonNull(slow.refresh(session, List.of(claim)).get(claim));
  }

  /**
   * Whether the lock row must note the claim's floor, which the short ways do not: see {@link
   * Tokens#noted}. What a client has merely seen is not ahead of its own clock.
   */
  private boolean isRaised(Claim claim) {
    return claim.floor() != 0 && claim.floor() > ticker.wallMicros();
  }

  /** Releases, or withdraws, without more ado: no linger, no tombstone. */
  Map<Claim, Left> leave(Session session, Claim claim) throws SQLException {
    HandOff queue = handOffOf(claim);
    boolean left =
        queue == null ? fast.leave(session, claim) : releasedOrPassedOn(queue, session, claim);
    return left ? Map.of(claim, Left.LEFT) : slow.leave(session, List.of(Departure.of(claim)));
  }

  private @Nullable HandOff handOffOf(Claim claim) {
    return claim.capacity() == 1 && !isRaised(claim) ? handOff : null;
  }

  private boolean releasedOrPassedOn(HandOff queue, Session session, Claim claim)
      throws SQLException {
    boolean others = leaveFoundOthers;
    if (others && passedOn(queue, session, claim)) {
      return true;
    }
    boolean released = fast.leave(session, claim);
    leaveFoundOthers = !released;
    return released || (!others && passedOn(queue, session, claim));
  }

  private boolean passedOn(HandOff queue, Session session, Claim claim) throws SQLException {
    String letIn = queue.passOn(session, claim);
    if (letIn != null) {
      promoted.accept(claim.lock(), List.of(letIn));
    }
    return letIn != null;
  }
}
