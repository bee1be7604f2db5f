package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes have said up to one moment.
 *
 * @param nodes how many there are
 * @param votes of those that answered
 * @param failure why one of the others did not, where known
 */
record RedlockBallot(int nodes, List<RedlockVote> votes, @Nullable Throwable failure) {

  /** More than half. */
  int quorum() {
    return nodes / 2 + 1;
  }

  Stream<RedlockVote> counting() {
    return votes.stream().filter(RedlockVote::counts);
  }

  Stream<RedlockVote> saying(String word) {
    return votes.stream().filter(vote -> vote.word().equals(word));
  }

  boolean isQuorum(Stream<?> some) {
    return some.count() >= quorum();
  }

  boolean hasQuorum() {
    return isQuorum(counting());
  }

  boolean hasQuorumOf(String word) {
    return isQuorum(saying(word));
  }

  /**
   * The claim's token. An attempt that failed may have left an older one on nodes that it could not
   * free; 0 if no node knows any.
   */
  long token() {
    return saying("ours").mapToLong(RedlockVote::token).max().orElse(0);
  }

  /**
   * Why the record of a node that answered cannot be read, to be put behind a message, or empty.
   */
  String unreadable() {
    return saying("error")
        .findFirst()
        .map(
            vote -> "; node %d cannot read its record: %s".formatted(vote.node() + 1, vote.error()))
        .orElse("");
  }

  /** The greatest group of votes that have this in common; empty if there are none. */
  static <K> List<RedlockVote> mostCommon(
      Stream<RedlockVote> votes, Predicate<RedlockVote> of, Function<RedlockVote, K> key) {
    return votes.filter(of).collect(Collectors.groupingBy(key)).values().stream()
        .max((one, other) -> Integer.compare(one.size(), other.size()))
        .orElse(List.of());
  }

  /** How the nodes name a claim to others: its id is a secret. */
  static String who(Claim claim) {
    return Script.sha1(claim.id());
  }

  /** Whether so many have a record of the lock that cannot be read that the others are too few. */
  private boolean isUnreadable() {
    return nodes - damaged() < quorum();
  }

  private long damaged() {
    return saying("error").filter(RedlockVote::isUnreadable).count();
  }

  /** That too few nodes have a say. */
  StoreException tooFew(RedlockNodes all, String what, String lock) {
    if (isUnreadable()) {
      return new UnreadableRecordException(
          lock,
          "key " + all.keys().lock(lock),
          "it is damaged on %d of %d nodes of %s".formatted(damaged(), nodes, all.url()));
    }
    String message =
        "Only %d of %d nodes of %s answered to the %s of '%s', %d are needed%s: it may or may not have taken effect%s."
            .formatted(
                counting().count(),
                nodes,
                all.url(),
                what,
                lock,
                quorum(),
                forgotten() + unreadable(),
                failure == null ? "" : " (" + failure.getMessage() + ")");
    return failure == null
        ? new StoreException(lock, message)
        : new StoreException(lock, message, failure);
  }

  private String forgotten() {
    long resting = saying("resting").count();
    if (resting == 0) {
      return "";
    }
    return " and %d have forgotten all%s"
        .formatted(
            resting,
            nodes - resting < quorum()
                ? " (too many: an operator must act, see docs/stores/redlock.md)"
                : "");
  }
}
