package dev.holdfast.redis;

import dev.holdfast.StoreException;
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
import org.jspecify.annotations.Nullable;

/*
 * 1. Takes the lock on every node, and reads their counters.
 * 2. With a quorum: token = the greatest counter + 1; writes it back to those nodes, where the lock is still ours.
 * 3. With a quorum of these, and time left: granted.
 * Otherwise frees whatever was taken, also on nodes that did not answer.
 *
 * A node that hangs may be one of those that a step needs while another has come back. So a step has only a part of
 * the time that is left, and the whole is tried again; the join itself gives up at its deadline.
 *
 * Claims that come at the same time may each get a few nodes and none a quorum. Whoever has most keeps them and
 * tries again at once; the others free theirs and try again a little later.
 */

/** One join: several steps, one after the other, on whichever threads the answers come. */
final class RedlockJoin {

  private static final int TRIES = 12;
  private static final int LONGEST_REST_MILLIS = 16;
  private static final Duration GRACE = Duration.ofMillis(5);

  private final RedlockNodes nodes;
  private final RedlockSweep sweep;
  private final RedlockRecovery recovery;
  private final RedlockTokens tokens;
  private final Claim claim;
  private final String value;
  private final Deadline deadline;
  private final CompletableFuture<JoinAnswer> result = new CompletableFuture<>();

  // Mutable state, of one step at a time
  private final List<String> rounds = new ArrayList<>();
  private int tries;

  RedlockJoin(
      RedlockNodes nodes,
      RedlockSweep sweep,
      RedlockRecovery recovery,
      Claim claim,
      String value,
      Deadline deadline) {
    this.nodes = nodes;
    this.sweep = sweep;
    this.recovery = recovery;
    this.tokens = new RedlockTokens(nodes);
    this.claim = claim;
    this.value = value;
    this.deadline = deadline;
  }

  CompletableFuture<JoinAnswer> start() {
    attempt();
    return result;
  }

  private void attempt() {
    tries++;
    String round = nodes.newRound();
    rounds.add(round);
    long sent = nodes.ticker().nanoTime(); // the ttl starts no earlier on any node
    List<String> arguments =
        List.of(
            claim.id(),
            round,
            claim.kind().name(),
            claim.owner().encode(),
            value,
            millis(claim.ttl()),
            Long.toString(ClaimArgs.floor(claim)));
    List<CompletableFuture<Reply>> answers =
        nodes
            .ask(
                RedlockScripts.JOIN,
                "join",
                List.of(new RedlockNodes.Item(claim.lock(), arguments)),
                deadline)
            .get(0);
    then(
        RedlockPoll.of(
            nodes.ticker(),
            answers,
            patience(),
            GRACE,
            ballot -> isTaken(ballot) || ballot.isQuorum(rivals(ballot).stream())),
        ballot -> count(round, sent, ballot));
  }

  // A join that is repeated gets the token it had, if it waits for the nodes that know it.
  private static boolean isTaken(RedlockBallot ballot) {
    long token = ballot.token();
    return ballot.isQuorum(ballot.saying("ours").filter(vote -> vote.token() == token));
  }

  private void count(String round, long sent, RedlockBallot ballot) {
    recovery.notice(ballot);
    if (ballot.saying("buried").count() > 0) {
      free(); // the claimant has gone away in the meantime
      result.complete(new Busy(null));
    } else if (ballot.hasQuorumOf("ours")) {
      long token = ballot.token();
      if (token > 0 && isTaken(ballot)) {
        repeat(round, sent, ballot, token);
      } else {
        then(
            tokens.reserve(claim, round, ballot, 1 + claim.spares(), 0, patience(), deadline),
            reserved -> grant(sent, reserved));
      }
    } else if (!ballot.hasQuorum()) {
      retryOrFail(ballot.tooFew(nodes, "join", claim.lock()));
    } else {
      refuse(ballot);
    }
  }

  private void grant(long sent, @Nullable Tokens reserved) {
    if (reserved != null && nodes.inTime(claim, sent)) {
      long token = reserved.first();
      result.complete(
          claim.spares() == 0
              ? new Granted(token)
              : new Granted(token, new Tokens(token + 1, claim.spares())));
    } else {
      free();
      retryOrFail(
          new StoreException(
              claim.lock(),
              "Too few nodes of %s confirmed '%s' within its ttl of %d ms: it was not taken."
                  .formatted(nodes.url(), claim.lock(), claim.ttl().toMillis())));
    }
  }

  /** The answer to an earlier join was lost; the quorum has it. */
  private void repeat(String round, long sent, RedlockBallot ballot, long token) {
    then(
        claim.spares() == 0
            ? CompletableFuture.completedFuture(null)
            : tokens.reserve(claim, round, ballot, claim.spares(), token, patience(), deadline),
        spares -> {
          if (nodes.inTime(claim, sent)) {
            result.complete(new Granted(token, spares == null ? Tokens.NONE : spares));
          } else {
            fail(ballot.tooFew(nodes, "join", claim.lock()));
          }
        });
  }

  private void refuse(RedlockBallot ballot) {
    List<RedlockVote> rivals = rivals(ballot);
    boolean certain = rivals.size() >= ballot.quorum();
    if (certain || !mayTryAgain()) {
      if (ballot.saying("ours").count() > 0 || ballot.votes().size() < ballot.nodes()) {
        free();
      }
      result.complete(refusal(rivals, certain));
      return;
    }
    long taken = ballot.saying("ours").count();
    boolean leads =
        taken > rivals.size()
            || (taken == rivals.size() && RedlockBallot.who(claim).compareTo(who(rivals)) < 0);
    if (leads) {
      attemptAfter(1);
    } else {
      free();
      attemptAfter(randomRest());
    }
  }

  // A node that was late this time is asked again, as long as the caller would wait anyway.
  private void retryOrFail(StoreException failure) {
    if (mayTryAgain()) {
      attemptAfter(randomRest());
    } else {
      fail(failure);
    }
  }

  private void attemptAfter(int millis) {
    var unused = nodes.ticker().schedule(Duration.ofMillis(millis), () -> guarded(this::attempt));
  }

  private boolean mayTryAgain() {
    return tries < TRIES && !deadline.isOver();
  }

  // Two steps and a rest; the last try has all that is left.
  private Duration patience() {
    Duration left = deadline.remaining();
    if (tries == TRIES) {
      return left;
    }
    Duration part = left.dividedBy(3);
    Duration share = claim.ttl().dividedBy(4);
    return share.compareTo(part) < 0 ? share : part;
  }

  private int randomRest() {
    return 3 + Math.floorMod(nodes.random().getAsLong(), Math.min(LONGEST_REST_MILLIS, 2 * tries));
  }

  private static JoinAnswer refusal(List<RedlockVote> rivals, boolean certain) {
    if (rivals.isEmpty()) {
      return new Busy(null);
    }
    RedlockVote rival = rivals.get(0);
    return certain && rival.word().equals("mismatch")
        ? new Mismatch(rival.heldAs(), 1)
        : new Busy(rival.owner());
  }

  /** The votes for the one who has most nodes, of all others. */
  private static List<RedlockVote> rivals(RedlockBallot ballot) {
    return RedlockBallot.mostCommon(
        ballot.votes().stream(),
        vote -> vote.word().equals("busy") || vote.word().equals("mismatch"),
        RedlockVote::who);
  }

  private static String who(List<RedlockVote> rivals) {
    return rivals.isEmpty() ? "" : rivals.get(0).who();
  }

  private void free() {
    rounds.forEach(round -> sweep.everywhere(claim, round));
    rounds.clear();
  }

  private void fail(Throwable failure) {
    free();
    result.completeExceptionally(failure);
  }

  private <T extends @Nullable Object> void then(
      CompletableFuture<T> stage, java.util.function.Consumer<T> next) {
    var unused =
        stage.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                fail(failure);
              } else {
                guarded(() -> next.accept(answer));
              }
            });
  }

  // A step that throws must not leave the caller waiting.
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Rounded up: a claim never ends early. */
  static String millis(Duration duration) {
    return Long.toString(duration.plusNanos(999_999).toMillis());
  }
}
