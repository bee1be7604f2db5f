package dev.holdfast.redis.redlock;

import dev.holdfast.StoreException;
import dev.holdfast.redis.script.ClaimRecord;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.PerClaim;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Renews claims on all nodes; a quorum decides about each claim. Thread-safe. */
final class Renewal {

  private final Quorum quorum;
  private final Function<Claim, String> value;

  /**
   * @param value the claim's value as nodes store it
   */
  Renewal(Quorum quorum, Function<Claim, String> value) {
    this.quorum = quorum;
    this.value = value;
  }

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims, Deadline deadline) {
    String round = quorum.newRound();
    long sent = quorum.ticker().nanoTime();
    Function<Claim, CompletableFuture<Ballot>> ballots =
        quorum.askAll(
            NodeScripts.REFRESH,
            claims,
            claim -> item(claim, round),
            deadline,
            Ballot.agrees("ours", "gone"),
            (claim, node) -> {});
    return PerClaim.STANDINGS.each(
        claims,
        claim ->
            ballots
                .apply(claim)
                .thenCompose(ballot -> standing(claim, round, sent, ballot, deadline))
                .exceptionally(failure -> new Unknown(unreadable(claim, failure))));
  }

  private Quorum.Item item(Claim claim, String round) {
    return new Quorum.Item(
        claim.lock(),
        List.of(
            claim.id(),
            claim.spares() == 0 ? "" : round,
            RedlockLockStore.millis(claim.ttl()),
            value.apply(claim),
            Long.toString(ClaimRecord.floor(claim))));
  }

  private CompletableFuture<Standing> standing(
      Claim claim, String round, long sent, Ballot ballot, Deadline deadline) {
    if (ballot.hasQuorumOf("gone")) {
      return CompletableFuture.completedFuture(Gone.GONE);
    }
    long token = ballot.token();
    if (!ballot.hasQuorumOf("ours") || token == 0) {
      return CompletableFuture.completedFuture(
          new Unknown(ballot.tooFew(quorum, NodeScripts.REFRESH, claim.lock())));
    }
    if (claim.spares() == 0) {
      return CompletableFuture.completedFuture(new Granted(token));
    }
    return quorum
        .reserve(claim, round, ballot, claim.spares(), token, deadline.remaining(), deadline)
        .handle(
            (spares, failure) ->
                new Granted(
                    token, spares == null || !quorum.isInTime(claim, sent) ? Tokens.NONE : spares));
  }

  // One bad record leaves the other claims alone.
  private StoreException unreadable(Claim claim, Throwable failure) {
    return new StoreException(
        claim.lock(),
        "The record of '%s' on %s cannot be read: it may or may not be held."
            .formatted(claim.lock(), quorum.url()),
        failure);
  }
}
