package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * Why tokens rise. Two grants that are reported share a node on which both went through the second
 * phase. Each held the lock there at that moment, from its first phase on, so on that node the one
 * held it before the other; and the first phase of the later one read a counter that the earlier
 * one had raised. It asks in the second phase only those that it asked in the first, so its token
 * is greater. No clock is in this.
 */

/** The second phase: makes tokens out of what the counters say. Any threads. */
final class RedlockTokens {

  private final RedlockNodes nodes;

  RedlockTokens(RedlockNodes nodes) {
    this.nodes = nodes;
  }

  /**
   * Reserves tokens on the nodes that have the lock as ours, in this round.
   *
   * @param count how many
   * @param token the claim's, 0 if the first of these is to be it
   * @param patience after which those who have answered must do
   * @return null if no quorum has taken them down; fails only if they would be too great
   */
  CompletableFuture<@Nullable Tokens> reserve(
      Claim claim,
      String round,
      RedlockBallot ours,
      int count,
      long token,
      Duration patience,
      Deadline deadline) {
    long counter = ours.saying("ours").mapToLong(RedlockVote::counter).max().orElse(0);
    Tokens tokens = Tokens.reserve(claim.lock(), counter, claim.floor(), count);
    if (tokens.last() >= ClaimArgs.EXACT) {
      return CompletableFuture.failedFuture(
          new StoreException(
              claim.lock(),
              "cannot grant '%s' the token %d: Redis counts exactly only up to %d"
                  .formatted(claim.lock(), tokens.last(), ClaimArgs.EXACT)));
    }
    List<String> arguments =
        List.of(
            claim.id(),
            round,
            Long.toString(tokens.last()),
            Long.toString(token == 0 ? tokens.first() : token));
    RedlockNodes.Item item = new RedlockNodes.Item(claim.lock(), arguments);
    List<@Nullable CompletableFuture<Reply>> answers =
        new ArrayList<>(Collections.nCopies(ours.nodes(), null));
    ours.saying("ours")
        .forEach(
            vote ->
                answers.set(
                    vote.node(),
                    nodes
                        .askOne(
                            vote.node(), RedlockScripts.ADVANCE, "join", List.of(item), deadline)
                        .thenApply(replies -> replies.get(0))));
    return RedlockPoll.of(
            nodes.ticker(), answers, patience, null, ballot -> ballot.hasQuorumOf("ours"))
        .thenApply(ballot -> ballot.hasQuorumOf("ours") ? tokens : null);
  }
}
