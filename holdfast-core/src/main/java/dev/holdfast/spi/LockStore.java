package dev.holdfast.spi;

import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.UnreadableRecordException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Speaks to the system that arbitrates. One instance serves one client.
 *
 * <p>Every lock is a queue of claims in arrival order. A claim is granted when the weights of the
 * claims ahead of it plus its own fit the capacity ({@link Admission}). A grant is a recorded
 * event: its token is stored with the claim, by a step that removed the expired claims ahead, so
 * that a clock stepping back revives no claim. Every step that removes a claim grants the claims
 * that fit now.
 *
 * <p><b>Yes, no and unknown.</b> A stage that completes exceptionally, preferably with {@link
 * StoreException}, means that nobody knows whether the step took effect. Never answer busy or gone
 * for that.
 *
 * <p><b>Threads.</b> All methods may be called by any thread and must not block it beyond handing
 * the work over. Stages may complete on any thread.
 *
 * <p><b>Text.</b> {@code toString()} is the address people know the store by, without secrets.
 */
public interface LockStore extends AutoCloseable {

  /** For {@link #evict}: whichever token holds. No grant has it. */
  long ANY_TOKEN = 0;

  /** What this store can do. Constant. */
  Traits traits();

  /**
   * Enters the queue of the claim's lock; without {@code wait}, enters only if granted at once.
   *
   * <p><b>Atomic.</b> Removing expired claims, checking, entering and granting are one step.
   *
   * <p><b>Repeatable</b> by claim id: a claim that is already there keeps its place and token, and
   * its ttl restarts in the same step; otherwise the engine would count its validity from a send
   * that the store never saw. A claim with a tombstone ({@link Departure#tombstone}) is answered
   * {@link Busy} and enters nothing.
   *
   * <p>A claim that is granted lives for its ttl; one that waits for {@link Claim#waitingTtl}.
   *
   * @param deadline when the engine stops waiting for the answer; never give up before it
   */
  CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline);

  /**
   * Tells how each claim stands, and makes it end its ttl from now, by the store's clock; takes
   * over a lower weight and a changed value; reserves {@link Claim#spares} more tokens for those
   * granted.
   *
   * <p><b>Atomic</b> per claim: the check and the extension are one step. An ended claim is never
   * revived.
   *
   * <p><b>Repeatable:</b> the engine repeats a call whose answer was lost.
   *
   * @param deadline when an answer is of no more use; never give up before it
   * @return for each claim: granted, queued, gone, or unknown where the store did not answer for
   *     it; never report that as gone: the engine would tell a healthy holder that its lock is lost
   */
  CompletionStage<Map<Claim, Standing>> refresh(Collection<Claim> claims, Deadline deadline);

  /**
   * How many claims the engine puts into one {@link #refresh} at most. Few enough that a part which
   * gets no answer does not keep the answers for many others waiting; no limit where one request
   * renews them all.
   */
  default int refreshBatch() {
    return 256;
  }

  /**
   * Takes claims out of their queues, holders and waiters alike, and grants the claims that fit
   * then.
   *
   * <p><b>Checked:</b> ends exactly the claims with these ids. <b>Repeatable:</b> a claim that is
   * not there is answered {@link Left#GONE}.
   *
   * @param deadline when the engine repeats the call; never give up before it
   */
  CompletionStage<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline);

  /**
   * Ends granted claims of the lock and promotes the next; for operators. Later tokens are still
   * greater.
   *
   * <p><b>Atomic:</b> checking the token and ending the claim are one step.
   *
   * @param token {@link #ANY_TOKEN} ends every granted claim. Any other value ends one claim only:
   *     an exclusive one if the token lies between its first token and the last one reserved for
   *     it, a shared one if the token is its first
   * @return whether a claim was ended
   */
  CompletionStage<Boolean> evict(String lock, long token);

  /**
   * Asks for a hint when the turn of a claim that joined through this instance may have come; and,
   * where the store can tell, when a granted one may have ended before its time.
   *
   * <p>A hint may be lost, late, doubled or wrong: the engine refreshes and believes only that
   * answer. The engine observes before it joins. Wake only those whose turn may have come, or whose
   * claim may have ended.
   *
   * @param wake cheap, never blocks, never throws; any thread may call it
   */
  Registration observe(String lock, Runnable wake);

  /**
   * The holders and waiters; {@link LockInfo#free} for an unused lock. Fails with {@link
   * UnreadableRecordException} if what is stored cannot be read.
   */
  CompletionStage<LockInfo> inspect(String lock);

  /**
   * The locks in use whose names start with the prefix, in the order of their names. A store that
   * cannot ({@link Traits#lists}) fails with {@link UnsupportedOperationException}. A lock that
   * cannot be read is skipped, and logged.
   *
   * @param limit the most locks to return; the store never reads without bound
   */
  CompletionStage<List<LockInfo>> list(String prefix, int limit);

  /**
   * Looks at the store's clock and at settings of the server that endanger locks. Changes nothing,
   * and reads little: people call it while the store is in use.
   *
   * <p>A setting that the client's account may not read is a finding, not a failure.
   */
  default CompletionStage<Diagnosis> diagnose() {
    return CompletableFuture.completedFuture(Diagnosis.empty());
  }

  /**
   * Removes what is stored of a lock as far as it cannot be read, for operators; what can be read
   * is left alone. Later tokens are still greater than those that a readable record would have led
   * to: they come from the store's clock or revision.
   *
   * <p><b>Atomic:</b> what is removed is what was found unreadable, not what somebody has stored
   * there since.
   *
   * @return whether something was removed; false where all can be read, or nothing is stored
   */
  default CompletionStage<Boolean> discard(String lock) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException(this + " cannot remove records that cannot be read"));
  }

  /**
   * The fence for data in the same system, on this store's own connections: the one whose tokens
   * the fence class of that system keeps. Its calls wait for the answer, for a bounded time.
   *
   * @throws UnsupportedOperationException where there is no such class
   */
  default Fence fence() {
    throw new UnsupportedOperationException(
        this + " keeps no fences: a fence belongs beside the data that it guards");
  }

  /** Gives back connections and threads. Claims stay: the engine has left those it wanted to. */
  @Override
  void close();
}
