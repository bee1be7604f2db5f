package dev.holdfast.redis;

import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Frees what may have been left behind on nodes, on a deadline of its own: a node that does not
 * answer is asked again until the claim has ended there by itself. What would be too many to
 * remember is left to its ttl. Any threads.
 */
final class RedlockSweep {

  private static final Duration FIRST_REST = Duration.ofMillis(50);
  private static final Duration LONGEST_REST = Duration.ofSeconds(2);

  private static final int MOST = 10_000;

  private final RedlockNodes nodes;
  private final AtomicInteger waiting = new AtomicInteger();

  // Mutable state
  private volatile boolean closed;

  RedlockSweep(RedlockNodes nodes) {
    this.nodes = nodes;
  }

  /** Frees what this round has taken, on every node. */
  void everywhere(Claim claim, String round) {
    RedlockNodes.Item item = new RedlockNodes.Item(claim.lock(), arguments(claim, round, "0", "0"));
    for (int node = 0; node < nodes.runners().size(); node++) {
      retry(
          node,
          item,
          nodes.askOne(node, RedlockScripts.LEAVE, "clean-up", List.of(item), nodes.deadline()),
          claim.ttl());
    }
  }

  /** Asks this node again, for so long, if it does not answer this. */
  void retry(int node, RedlockNodes.Item item, CompletableFuture<?> answer, Duration patience) {
    var unused =
        answer.exceptionally(
            failure -> {
              again(node, item, nodes.ticker().nanoTime() + patience.toNanos(), FIRST_REST);
              return null;
            });
  }

  static List<String> arguments(Claim claim, String round, String linger, String buried) {
    return List.of(claim.id(), round, linger, buried);
  }

  void close() {
    closed = true;
  }

  private void again(int node, RedlockNodes.Item item, long deadline, Duration rest) {
    if (waiting.incrementAndGet() > MOST) {
      waiting.decrementAndGet();
      return;
    }
    var unused =
        nodes
            .ticker()
            .schedule(
                rest,
                () -> {
                  waiting.decrementAndGet();
                  if (closed || nodes.ticker().nanoTime() - deadline >= 0) {
                    return;
                  }
                  Duration longer = rest.multipliedBy(2);
                  Duration next = longer.compareTo(LONGEST_REST) < 0 ? longer : LONGEST_REST;
                  var ignored =
                      nodes
                          .askOne(
                              node,
                              RedlockScripts.LEAVE,
                              "clean-up",
                              List.of(item),
                              nodes.deadline())
                          .exceptionally(
                              failure -> {
                                again(node, item, deadline, next);
                                return List.of();
                              });
                });
  }
}
