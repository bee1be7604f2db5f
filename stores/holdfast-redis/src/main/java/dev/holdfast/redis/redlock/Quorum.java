package dev.holdfast.redis.redlock;

import static java.util.Objects.requireNonNull;

import dev.holdfast.redis.script.ClaimRecord;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.Chunks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a quorum, and how they are asked. Thread-safe; never blocks.
 *
 * @param url without secrets, for messages
 * @param keys of the locks
 * @param nodes in the order of the URL
 * @param ticker for deadlines
 * @param timeout how long one node may take for a request without a deadline
 * @param longestTtl that any claim may have: for this long a node that has forgotten all has no
 *     vote
 * @param random for rounds and pauses
 */
record Quorum(
    String url,
    Keys keys,
    List<? extends ScriptRunner> nodes,
    Ticker ticker,
    Duration timeout,
    Duration longestTtl,
    LongSupplier random) {

  static final LongSupplier RANDOM = () -> ThreadLocalRandom.current().nextLong();

  // While a script runs the server does nothing else: some hundred microseconds are enough.
  private static final int CHUNK = 64;

  /**
   * One lock for a script.
   *
   * @param arguments as the script reads them
   */
  record Item(String lock, List<String> arguments) {}

  static Keys keys(String prefix) {
    return new Keys(prefix + "redlock:");
  }

  /** {@return the key of a node's own record} */
  static String record(Keys keys) {
    return keys.prefix() + "node";
  }

  /** {@return how far the clocks of a node and of a client may drift apart within this time} */
  static Duration drift(Duration time) {
    return time.dividedBy(100).plusMillis(2);
  }

  /**
   * After that no tokens may be handed out: a node that has forgotten all may vote again without
   * them.
   *
   * @param sent a moment before the claim's ttl began
   * @return whether the claim cannot have ended yet on any node
   */
  boolean isInTime(Claim claim, long sent) {
    Duration validity = claim.ttl().minus(drift(claim.ttl()));
    return ticker.nanoTime() - sent < validity.toNanos();
  }

  /** {@return a text that no other first phase or renewal has} */
  String newRound() {
    return Long.toHexString(random.getAsLong());
  }

  /** {@return for requests without a deadline of the engine's} */
  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  /**
   * Sends one request about some locks to the chosen nodes.
   *
   * @return from each node a reply for each lock; null for a node that was not chosen
   */
  List<@Nullable CompletableFuture<List<Reply>>> send(
      Collection<Integer> chosen, Script script, List<Item> items, Deadline deadline) {
    List<String> names = new ArrayList<>();
    List<String> arguments = new ArrayList<>();
    names.add(record(keys));
    for (Item item : items) {
      names.add(keys.lock(item.lock));
      arguments.addAll(item.arguments);
    }
    List<@Nullable CompletableFuture<List<Reply>>> answers =
        new ArrayList<>(Collections.nCopies(nodes.size(), null));
    String lock = items.isEmpty() ? "" : items.get(0).lock;
    for (int node : chosen) {
      answers.set(node, nodes.get(node).run(script, lock, names, arguments, deadline));
    }
    return answers;
  }

  /** Asks every node about one lock, or about itself. */
  CompletableFuture<Ballot> ask(
      Script script, List<Item> item, Deadline deadline, Predicate<Ballot> suffices) {
    var answers = send(everyone(), script, item, deadline);
    return Ballot.of(ticker, answers, 0, deadline.remaining(), null, suffices);
  }

  /**
   * Asks every node about many locks.
   *
   * @param silent receives each subject with a node that did not answer about it, even after the
   *     others sufficed
   */
  <T> Function<T, CompletableFuture<Ballot>> askAll(
      Script script,
      Collection<T> subjects,
      Function<T, Item> itemOf,
      Deadline deadline,
      Predicate<Ballot> suffices,
      ObjIntConsumer<T> silent) {
    Map<T, CompletableFuture<Ballot>> ballots = new HashMap<>();
    for (List<T> chunk : Chunks.of(subjects, CHUNK)) {
      var answers = send(everyone(), script, chunk.stream().map(itemOf).toList(), deadline);
      for (int i = 0; i < chunk.size(); i++) {
        T subject = chunk.get(i);
        ballots.put(subject, Ballot.of(ticker, answers, i, deadline.remaining(), null, suffices));
      }
      for (int node = 0; node < nodes.size(); node++) {
        int late = node;
        var unused =
            requireNonNull(answers.get(node))
                .exceptionally(
                    failure -> {
                      chunk.forEach(subject -> silent.accept(subject, late));
                      return List.of();
                    });
      }
    }
    return subject -> requireNonNull(ballots.get(subject));
  }

  /*
   * Why tokens rise. Two grants that are reported share a node on which both went through the second
   * phase. Each held the lock there from its first phase to its second, so on that node one held it
   * before the other; and the first phase of the later one read a counter that the earlier one had
   * raised. The second phase asks only nodes that granted the first, so the later token is greater.
   * No clock is involved.
   */

  /**
   * The second phase of a join: reserves tokens above all counters of the quorum, on the nodes
   * where the lock is ours, in this round.
   *
   * @param token the claim's, 0 if it is to be the first of these
   * @param patience after which the nodes that have answered must do
   * @return null if no quorum has recorded them; fails only if they would be too great
   */
  CompletableFuture<@Nullable Tokens> reserve(
      Claim claim,
      String round,
      Ballot ballot,
      int count,
      long token,
      Duration patience,
      Deadline deadline) {
    List<Vote> ours = ballot.saying("ours");
    long counter = ours.stream().mapToLong(Vote::counter).max().orElse(0);
    Tokens tokens = Tokens.reserve(claim.lock(), counter, claim.floor(), count);
    if (tokens.last() >= ClaimRecord.EXACT) {
      return CompletableFuture.failedFuture(ClaimRecord.tooGreat(claim.lock(), tokens.last()));
    }
    String last = Long.toString(tokens.last());
    String own = Long.toString(token == 0 ? tokens.first() : token);
    Item item = new Item(claim.lock(), List.of(claim.id(), round, last, own));
    var answers =
        send(ours.stream().map(Vote::node).toList(), NodeScripts.ADVANCE, List.of(item), deadline);
    return Ballot.of(ticker, answers, 0, patience, null, Ballot.agrees("ours"))
        .thenApply(confirmed -> confirmed.hasQuorumOf("ours") ? tokens : null);
  }

  /** {@return the numbers of all nodes} */
  List<Integer> everyone() {
    return IntStream.range(0, nodes.size()).boxed().toList();
  }

  void close() {
    nodes.forEach(ScriptRunner::close);
  }
}
