package dev.holdfast.redis;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The nodes of a quorum, and how they are asked. Any threads; nobody waits here.
 *
 * @param url as messages name them
 * @param keys of the locks
 * @param runners one for each node
 * @param ticker for deadlines
 * @param timeout how long one node may take for an answer where the engine gave no deadline
 * @param longestTtl that any claim may have: so long a node that has forgotten all has no vote
 * @param random for rounds and rests
 */
record RedlockNodes(
    String url,
    Keys keys,
    List<? extends ScriptRunner> runners,
    Ticker ticker,
    Duration timeout,
    Duration longestTtl,
    LongSupplier random) {

  // A script keeps the server from everybody else: some hundred microseconds, not more.
  private static final int CHUNK = 64;

  /**
   * What is asked about one lock.
   *
   * @param arguments as the script reads them
   */
  record Item(String lock, List<String> arguments) {}

  static Keys keys(RedisOptions options) {
    return new Keys(options.prefix() + "redlock:");
  }

  /** The key of a node's own record. */
  static String record(Keys keys) {
    return keys.prefix() + "node";
  }

  /** How much the clocks of a node and of a client may part within this time. */
  static Duration drift(Duration time) {
    return time.dividedBy(100).plusMillis(2);
  }

  /**
   * Whether the claim cannot have ended yet on any node, if this was before its ttl was armed.
   * Later no tokens may be handed out: a node that has forgotten all may vote again without them.
   */
  boolean inTime(Claim claim, long sent) {
    Duration validity = claim.ttl().minus(drift(claim.ttl()));
    return ticker.nanoTime() - sent < validity.toNanos();
  }

  /** A text that no other first phase or renewal has. */
  String newRound() {
    return Long.toHexString(random.getAsLong());
  }

  /** For what has no deadline of the engine's. */
  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  /** Asks every node about each lock: for each lock the answers of all nodes. */
  List<List<CompletableFuture<Reply>>> ask(
      Script script, String what, List<Item> items, Deadline deadline) {
    List<List<CompletableFuture<Reply>>> answers = new ArrayList<>(items.size());
    items.forEach(item -> answers.add(new ArrayList<>(runners.size())));
    for (int node = 0; node < runners.size(); node++) {
      for (int from = 0; from < items.size(); from += CHUNK) {
        List<Item> chunk = items.subList(from, Math.min(items.size(), from + CHUNK));
        CompletableFuture<List<Reply>> replies = askOne(node, script, what, chunk, deadline);
        for (int i = 0; i < chunk.size(); i++) {
          int index = i;
          answers.get(from + i).add(replies.thenApply(all -> all.get(index)));
        }
      }
    }
    return answers;
  }

  /** Asks one node. */
  CompletableFuture<List<Reply>> askOne(
      int node, Script script, String what, List<Item> items, Deadline deadline) {
    List<String> names = new ArrayList<>();
    List<String> arguments = new ArrayList<>();
    names.add(record(keys));
    for (Item item : items) {
      names.add(keys.lock(item.lock()));
      arguments.addAll(item.arguments());
    }
    return runners.get(node).run(script, what, items.get(0).lock(), names, arguments, deadline);
  }

  /** Asks one node about itself. */
  CompletableFuture<Reply> askItself(int node, Script script, String what, List<String> arguments) {
    return runners
        .get(node)
        .run(script, what, "", List.of(record(keys)), arguments, deadline())
        .thenApply(replies -> replies.get(0));
  }

  /** Collects answers until they suffice. */
  CompletableFuture<RedlockBallot> poll(
      List<CompletableFuture<Reply>> answers,
      Deadline deadline,
      Predicate<RedlockBallot> suffices) {
    return RedlockPoll.of(ticker, answers, deadline.remaining(), null, suffices);
  }

  void close() {
    runners.forEach(ScriptRunner::close);
  }
}
