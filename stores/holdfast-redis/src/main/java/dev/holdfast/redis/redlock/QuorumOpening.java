package dev.holdfast.redis.redlock;

import dev.holdfast.StoreException;
import dev.holdfast.redis.client.ConnectionSource;
import dev.holdfast.redis.client.RedisAddress;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.StoreSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Connects to the nodes and checks that they can be used: a quorum must answer and remember.
 * Blocks, for up to three times the operation time-out.
 */
final class QuorumOpening {

  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(2);
  private static final int STEPS = 3; // as for a single server

  private final RedisAddress address;
  private final StoreSettings settings;
  private final Duration limit;
  private final Deadline deadline;

  QuorumOpening(RedisAddress address, StoreSettings settings) {
    this.address = address;
    this.settings = settings;
    this.limit = settings.operationTimeout().multipliedBy(STEPS);
    this.deadline = Deadline.in(limit, settings.ticker());
  }

  Quorum open() {
    Keys keys = Quorum.keys(address.prefix());
    Duration share = settings.operationTimeout().dividedBy(4);
    Duration timeout = share.compareTo(MAX_TIMEOUT) < 0 ? share : MAX_TIMEOUT;
    List<QuorumNode> nodes = QuorumNode.all(address, settings, timeout);
    try {
      List<CompletableFuture<List<Reply>>> answers =
          nodes.stream().map(node -> status(node, Quorum.record(keys))).toList();
      CompletableFuture<Ballot> count =
          Ballot.of(
              settings.ticker(),
              answers,
              0,
              limit,
              timeout, // a node that answers later is not compared with the others
              Ballot.agrees("remembers"));
      Duration longestTtl =
          longestTtl(ConnectionSource.await(address.text(), count, limit.multipliedBy(2)));
      return new Quorum(
          address.text(), keys, nodes, settings.ticker(), timeout, longestTtl, Quorum.RANDOM);
    } catch (RuntimeException e) {
      nodes.forEach(QuorumNode::close);
      throw e;
    }
  }

  private CompletableFuture<List<Reply>> status(QuorumNode node, String record) {
    return node.connect()
        .thenCompose(connection -> connection.checked(node.url(), deadline))
        .thenCompose(connection -> NodeDiagnosis.status(connection, record));
  }

  private Duration longestTtl(Ballot ballot) {
    List<Vote> remembering = ballot.saying("remembers");
    if (remembering.size() < ballot.quorum()) {
      throw unusable(tooFew(ballot, remembering.size()));
    }
    if (remembering.stream().map(Vote::life).distinct().count() < remembering.size()) {
      throw unusable("some of its addresses lead to the same server");
    }
    Set<Duration> ttls = remembering.stream().map(Vote::longestTtl).collect(Collectors.toSet());
    if (ttls.size() > 1) {
      throw unusable("the nodes were set up with different longest ttls: " + ttls);
    }
    Duration longest = ttls.iterator().next();
    if (longest.compareTo(RedlockLockStore.SHORTEST_TTL) < 0) {
      throw unusable(
          "'longest' of its nodes (%d) must be at least %d, in milliseconds"
              .formatted(longest.toMillis(), RedlockLockStore.SHORTEST_TTL.toMillis()));
    }
    return longest;
  }

  private static String tooFew(Ballot ballot, int remembering) {
    int empty = ballot.saying("resting").size();
    Throwable failure = ballot.failure();
    return "%d of %d nodes remember, %d are needed%s%s%s"
        .formatted(
            remembering,
            ballot.nodes(),
            ballot.quorum(),
            empty == 0
                ? ""
                : "; %d are empty: an operator must set them up, see docs/stores/redlock.md"
                    .formatted(empty),
            ballot.unreadable(),
            failure == null ? "" : "; " + ConnectionSource.reason(failure));
  }

  private StoreException unusable(String why) {
    return new StoreException("", "Cannot use " + address.text() + ": " + why);
  }
}
