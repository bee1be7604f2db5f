package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreSettings;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects to the nodes and finds out whether they can be used: a quorum must answer and remember.
 * Waits, unlike everything else here; as {@link Opening}, three times the operation time-out as a
 * whole.
 */
final class RedlockOpening {

  private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration REST = Duration.ofMillis(2);

  private final RedisAddress address;
  private final StoreSettings settings;
  private final Duration limit;
  private final long start;

  RedlockOpening(RedisAddress address, StoreSettings settings) {
    this.address = address;
    this.settings = settings;
    this.limit = settings.operationTimeout().multipliedBy(3);
    this.start = settings.ticker().nanoTime();
  }

  RedlockNodes open() {
    Keys keys = RedlockNodes.keys(address.options());
    Duration share = settings.operationTimeout().dividedBy(4);
    Duration timeout = share.compareTo(LONGEST_TIMEOUT) < 0 ? share : LONGEST_TIMEOUT;
    List<RedlockNode> nodes = RedlockNode.all(address, settings, timeout);
    try {
      List<CompletableFuture<Reply>> answers = new ArrayList<>();
      nodes.forEach(node -> answers.add(greet(node, RedlockNodes.record(keys))));
      RedlockBallot ballot =
          await(
              RedlockPoll.of(
                  settings.ticker(),
                  answers,
                  limit,
                  timeout, // who comes later is not checked for being one of the others
                  known -> known.hasQuorumOf("remembers")));
      return new RedlockNodes(
          address.text(),
          keys,
          nodes,
          settings.ticker(),
          timeout,
          longestTtl(ballot),
          () -> ThreadLocalRandom.current().nextLong());
    } catch (RuntimeException e) {
      nodes.forEach(RedlockNode::close);
      throw e;
    }
  }

  private CompletableFuture<Reply> greet(RedlockNode node, String record) {
    return node.connect()
        .thenCompose(
            link ->
                first(link)
                    .thenCompose(
                        info -> {
                          info.check(node.url(), false);
                          return link.run(
                              RedlockScripts.NODE,
                              "greeting",
                              "",
                              List.of(record),
                              List.of(),
                              link.calls().timeout());
                        }))
        .thenApply(replies -> replies.get(0));
  }

  // Lettuce may hand out a connection a moment before it is active, and refuses commands until
  // then.
  private CompletableFuture<ServerInfo> first(Link link) {
    return ServerInfo.of(link)
        .exceptionallyCompose(
            failure -> {
              if (!isRefusedByClient(failure)
                  || settings.ticker().nanoTime() - start > limit.toNanos()) {
                return CompletableFuture.failedFuture(failure);
              }
              CompletableFuture<ServerInfo> again = new CompletableFuture<>();
              var unused =
                  settings
                      .ticker()
                      .schedule(
                          REST,
                          () -> {
                            var ignored =
                                first(link)
                                    .whenComplete(
                                        (info, why) -> {
                                          if (why == null) {
                                            again.complete(info);
                                          } else {
                                            again.completeExceptionally(why);
                                          }
                                        });
                          });
              return again;
            });
  }

  private static boolean isRefusedByClient(Throwable failure) {
    Throwable known =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    Throwable cause = known.getCause();
    return cause != null && cause.getClass() == RedisException.class;
  }

  private Duration longestTtl(RedlockBallot ballot) {
    long remember = ballot.saying("remembers").count();
    if (remember < ballot.quorum()) {
      long empty = ballot.saying("resting").count();
      Throwable failure = ballot.failure();
      throw unusable(
          "%d of %d nodes remember, %d are needed%s%s%s"
              .formatted(
                  remember,
                  ballot.nodes(),
                  ballot.quorum(),
                  empty == 0
                      ? ""
                      : "; %d are empty: an operator must set them up, see docs/stores/redlock.md"
                          .formatted(empty),
                  ballot.unreadable(),
                  failure == null ? "" : "; " + Opening.reason(failure)));
    }
    Set<String> lives = new HashSet<>();
    if (!ballot.saying("remembers").map(RedlockVote::life).allMatch(lives::add)) {
      throw unusable("some of its addresses lead to the same server");
    }
    Set<Duration> ttls = new HashSet<>();
    ballot.saying("remembers").forEach(vote -> ttls.add(vote.longestTtl()));
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

  private <T> T await(CompletableFuture<T> stage) {
    try {
      return stage.get(limit.toNanos() * 2, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw unusable("no answer in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unusable("interrupted");
    }
  }

  private StoreException unusable(String why) {
    return new StoreException("", "Cannot use " + address.text() + ": " + why);
  }
}
