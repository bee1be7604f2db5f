package dev.holdfast.redis.redlock;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes say about one lock: collected until it suffices, all have answered, or patience
 * ends. From then on it stays as it is.
 */
final class Ballot {

  private final Ticker ticker;
  private final int nodes;
  private final int quorum;
  private final @Nullable Duration grace;
  private final Predicate<Ballot> suffices;
  private final long start;
  private final CompletableFuture<Ballot> result = new CompletableFuture<>();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex until the result is complete
  private final Map<String, List<Vote>> votes = new HashMap<>();
  private final List<Registration> timers = new ArrayList<>();
  private int answered;
  private boolean sufficient;
  private boolean closed;
  private @Nullable Throwable failure;

  private Ballot(Ticker ticker, int nodes, @Nullable Duration grace, Predicate<Ballot> suffices) {
    this.ticker = ticker;
    this.nodes = nodes;
    this.quorum = nodes / 2 + 1;
    this.grace = grace;
    this.suffices = suffices;
    this.start = ticker.nanoTime();
  }

  /**
   * Collects what the nodes say about one lock of a request.
   *
   * @param answers one for each node, null for a node that was not asked
   * @param index of the lock in the request
   * @param grace how long the other nodes have once the answers suffice, in addition to as long as
   *     that took: a node that hangs must not delay everybody, one that is a little late should
   *     count; null for not at all
   * @param suffices is asked once a quorum has answered
   * @return never fails
   */
  static CompletableFuture<Ballot> of(
      Ticker ticker,
      List<? extends @Nullable CompletableFuture<List<Reply>>> answers,
      int index,
      Duration patience,
      @Nullable Duration grace,
      Predicate<Ballot> suffices) {
    Ballot ballot = new Ballot(ticker, answers.size(), grace, suffices);
    ballot.finishAfter(patience);
    for (int i = 0; i < answers.size(); i++) {
      int node = i;
      CompletableFuture<List<Reply>> answer = answers.get(i);
      if (answer == null) {
        ballot.add(null, null);
      } else {
        var unused =
            answer.whenComplete(
                (replies, failure) ->
                    ballot.add(
                        replies == null ? null : new Vote(node, replies.get(index)), failure));
      }
    }
    return ballot.result;
  }

  private void add(@Nullable Vote vote, @Nullable Throwable why) {
    mutex.lock();
    try {
      if (closed) {
        return;
      }
      answered++;
      if (vote != null) {
        votes.computeIfAbsent(vote.word(), word -> new ArrayList<>()).add(vote);
      } else if (why != null) {
        failure = Failures.unwrap(why);
      }
      if (!sufficient && answered >= quorum && suffices.test(this)) {
        sufficient = true;
        if (grace != null && answered < nodes) {
          finishAfter(grace.plusNanos(ticker.nanoTime() - start));
        }
      }
      if (answered < nodes && (!sufficient || grace != null)) {
        return;
      }
    } finally {
      mutex.unlock();
    }
    finish();
  }

  private void finishAfter(Duration delay) {
    Registration timer = ticker.schedule(delay, this::finish);
    mutex.lock();
    try {
      timers.add(timer);
    } finally {
      mutex.unlock();
    }
  }

  private void finish() {
    mutex.lock();
    try {
      closed = true;
      timers.forEach(Registration::close);
      timers.clear();
    } finally {
      mutex.unlock();
    }
    result.complete(this);
  }

  int nodes() {
    return nodes;
  }

  /** {@return more than half of the nodes} */
  int quorum() {
    return quorum;
  }

  List<Vote> saying(String word) {
    return votes.getOrDefault(word, List.of());
  }

  boolean hasQuorumOf(String word) {
    return saying(word).size() >= quorum;
  }

  /** {@return whether a quorum has an opinion, even if no quorum has the same} */
  boolean hasQuorum() {
    return counting() >= quorum;
  }

  /** {@return whether a quorum says one of these words; what most requests wait for} */
  static Predicate<Ballot> agrees(String... words) {
    return ballot -> List.of(words).stream().anyMatch(ballot::hasQuorumOf);
  }

  /** {@return how many nodes have answered at all} */
  int votes() {
    return votes.values().stream().mapToInt(List::size).sum();
  }

  // Not those that have forgotten all or cannot read their record.
  private int counting() {
    return votes() - saying("resting").size() - saying("error").size();
  }

  /**
   * @return the claim's token, 0 if no node has one. An attempt that failed may have left an older
   *     one on nodes that it could not free
   */
  long token() {
    return saying("ours").stream().mapToLong(Vote::token).max().orElse(0);
  }

  /** {@return whether a quorum has the claim with the same token, or without one} */
  boolean isTaken() {
    long token = token();
    return saying("ours").stream().filter(vote -> vote.token() == token).count() >= quorum;
  }

  /** {@return why a node cannot read its record, to be appended to a message, or empty} */
  String unreadable() {
    return saying("error").stream()
        .findFirst()
        .map(
            vote ->
                "; node %d cannot read its record: %s"
                    .formatted(vote.node() + 1, vote.reply().error()))
        .orElse("");
  }

  /** {@return why one of the nodes did not answer, where known} */
  @Nullable Throwable failure() {
    return failure;
  }

  /** {@return that too few nodes have answered this request} */
  StoreException tooFew(Quorum of, Script script, String lock) {
    long damaged = saying("error").stream().filter(vote -> vote.reply().isUnreadable()).count();
    if (nodes - damaged < quorum) {
      return new UnreadableRecordException(
          lock,
          "key " + of.keys().lock(lock),
          "it is damaged on %d of %d nodes of %s".formatted(damaged, nodes, of.url()));
    }
    String message =
        "Only %d of %d nodes of %s answered the %s, %d are needed%s: it may or may not have taken effect%s."
            .formatted(
                counting(),
                nodes,
                of.url(),
                Failures.request(script.operation(), lock),
                quorum,
                forgotten() + unreadable(),
                failure == null ? "" : " (" + failure.getMessage() + ")");
    return failure == null
        ? new StoreException(lock, message)
        : new StoreException(lock, message, failure);
  }

  private String forgotten() {
    int resting = saying("resting").size();
    if (resting == 0) {
      return "";
    }
    return " and %d have forgotten all%s"
        .formatted(
            resting,
            nodes - resting < quorum
                ? " (too many: an operator must act, see docs/stores/redlock.md)"
                : "");
  }
}
