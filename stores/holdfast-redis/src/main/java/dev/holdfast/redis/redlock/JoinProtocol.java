package dev.holdfast.redis.redlock;

import dev.holdfast.StoreException;
import dev.holdfast.redis.script.ClaimRecord;
import dev.holdfast.redis.script.Script;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/*
 * 1. Takes the lock on every node, and reads their counters.
 * 2. With a quorum: token = the greatest counter + 1; writes it to those nodes, if the lock is still ours there.
 * 3. With a quorum of these, and time left: granted.
 * Otherwise frees whatever was taken, also on nodes that did not answer.
 *
 * A node that hangs may be one that a step needs while another has come back. So a step gets only a part of the time
 * that is left, and the whole is tried again; the join itself gives up at its deadline.
 *
 * Claims that come at the same time may each get a few nodes and none a quorum. The claim with most nodes keeps them
 * and tries again at once; the others free theirs and try again a little later.
 */

/** One join: several steps in sequence, on the threads that bring the answers. */
final class JoinProtocol {

  private static final int MAX_TRIES = 12;
  private static final int MAX_PAUSE_MILLIS = 16;
  private static final Duration GRACE = Duration.ofMillis(5);

  private final Quorum quorum;
  private final Cleanup cleanup;
  private final Recovery recovery;
  private final Claim claim;
  private final String value;
  private final Deadline deadline;

  // Mutable state, of one step at a time
  private final List<String> rounds = new ArrayList<>();
  private int tries;

  JoinProtocol(
      Quorum quorum,
      Cleanup cleanup,
      Recovery recovery,
      Claim claim,
      String value,
      Deadline deadline) {
    this.quorum = quorum;
    this.cleanup = cleanup;
    this.recovery = recovery;
    this.claim = claim;
    this.value = value;
    this.deadline = deadline;
  }

  CompletableFuture<JoinAnswer> start() {
    return attempt()
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                free();
              }
            });
  }

  private CompletableFuture<JoinAnswer> attempt() {
    tries++;
    String round = quorum.newRound();
    rounds.add(round);
    long sent = quorum.ticker().nanoTime(); // the ttl starts no earlier on any node
    List<String> arguments =
        List.of(
            claim.id(),
            round,
            claim.kind().name(),
            claim.owner().encode(),
            value,
            RedlockLockStore.millis(claim.ttl()),
            Long.toString(ClaimRecord.floor(claim)));
    List<Quorum.Item> item = List.of(new Quorum.Item(claim.lock(), arguments));
    return Ballot.of(
            quorum.ticker(),
            quorum.send(quorum.everyone(), NodeScripts.JOIN, item, deadline),
            0,
            patience(),
            GRACE,
            // A repeated join gets the token that it had, if it waits for the nodes that know it.
            ballot -> ballot.isTaken() || rivals(ballot).size() >= ballot.quorum())
        .thenCompose(ballot -> decide(round, sent, ballot));
  }

  private CompletableFuture<JoinAnswer> decide(String round, long sent, Ballot ballot) {
    List<Vote> resting = ballot.saying("resting");
    if (!resting.isEmpty()) {
      recovery.check(resting);
    }
    if (!ballot.saying("tombstone").isEmpty()) {
      free(); // the claim has left in the meantime
      return CompletableFuture.completedFuture(new Busy(null));
    }
    if (ballot.hasQuorumOf("ours")) {
      long token = ballot.token();
      return token > 0 && ballot.isTaken()
          ? repeat(round, sent, ballot, token)
          : quorum
              .reserve(claim, round, ballot, 1 + claim.spares(), 0, patience(), deadline)
              .thenCompose(reserved -> grant(sent, reserved));
    }
    return ballot.hasQuorum()
        ? refuse(ballot)
        : retryOrFail(ballot.tooFew(quorum, NodeScripts.JOIN, claim.lock()));
  }

  private CompletableFuture<JoinAnswer> grant(long sent, @Nullable Tokens reserved) {
    if (reserved != null && quorum.isInTime(claim, sent)) {
      long token = reserved.first();
      return CompletableFuture.completedFuture(
          claim.spares() == 0
              ? new Granted(token)
              : new Granted(token, new Tokens(token + 1, claim.spares())));
    }
    free();
    return retryOrFail(
        new StoreException(
            claim.lock(),
            "Too few nodes of %s confirmed '%s' within its ttl of %d ms: it was not acquired."
                .formatted(quorum.url(), claim.lock(), claim.ttl().toMillis())));
  }

  /** The answer to an earlier join was lost; the quorum has it. */
  private CompletableFuture<JoinAnswer> repeat(String round, long sent, Ballot ballot, long token) {
    CompletableFuture<@Nullable Tokens> reserved =
        claim.spares() == 0
            ? CompletableFuture.completedFuture(null)
            : quorum.reserve(claim, round, ballot, claim.spares(), token, patience(), deadline);
    return reserved.thenApply(
        spares -> {
          if (!quorum.isInTime(claim, sent)) {
            throw ballot.tooFew(quorum, NodeScripts.JOIN, claim.lock());
          }
          return new Granted(token, spares == null ? Tokens.NONE : spares);
        });
  }

  private CompletableFuture<JoinAnswer> refuse(Ballot ballot) {
    List<Vote> rivals = rivals(ballot);
    int taken = ballot.saying("ours").size();
    boolean certain = rivals.size() >= ballot.quorum();
    if (certain || !mayTryAgain()) {
      if (taken > 0 || ballot.votes() < ballot.nodes()) {
        free();
      }
      return CompletableFuture.completedFuture(refusal(rivals, certain));
    }
    if (taken > rivals.size() || (taken == rivals.size() && precedes(rivals))) {
      return attemptAfter(1);
    }
    free();
    return attemptAfter(randomPause());
  }

  // A node that was late this time is asked again, as long as the caller would wait anyway.
  private CompletableFuture<JoinAnswer> retryOrFail(StoreException failure) {
    return mayTryAgain() ? attemptAfter(randomPause()) : CompletableFuture.failedFuture(failure);
  }

  private CompletableFuture<JoinAnswer> attemptAfter(int millis) {
    return quorum.ticker().after(Duration.ofMillis(millis)).thenCompose(over -> attempt());
  }

  private boolean mayTryAgain() {
    return tries < MAX_TRIES && !deadline.isOver();
  }

  // Enough for two steps and a pause; the last try has all that is left.
  private Duration patience() {
    Duration left = deadline.remaining();
    if (tries == MAX_TRIES) {
      return left;
    }
    Duration part = left.dividedBy(3);
    Duration share = claim.ttl().dividedBy(4);
    return share.compareTo(part) < 0 ? share : part;
  }

  private int randomPause() {
    return 3 + Math.floorMod(quorum.random().getAsLong(), Math.min(MAX_PAUSE_MILLIS, 2 * tries));
  }

  private static JoinAnswer refusal(List<Vote> rivals, boolean certain) {
    if (rivals.isEmpty()) {
      return new Busy(null);
    }
    Vote rival = rivals.get(0);
    return certain && rival.word().equals("mismatch")
        ? new Mismatch(rival.heldAs(), 1)
        : new Busy(rival.owner());
  }

  /** {@return the votes for the other claim that has most nodes; empty if there is none} */
  private static List<Vote> rivals(Ballot ballot) {
    return Vote.mostCommon(
        Stream.of("busy", "mismatch").flatMap(word -> ballot.saying(word).stream()).toList());
  }

  // The nodes name a claim to others by a digest: its id is a secret.
  private boolean precedes(List<Vote> rivals) {
    String rival = rivals.isEmpty() ? "" : rivals.get(0).holder();
    return Script.sha1(claim.id()).compareTo(rival) < 0;
  }

  private void free() {
    rounds.forEach(round -> cleanup.everywhere(claim, round));
    rounds.clear();
  }
}
