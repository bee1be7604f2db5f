package dev.holdfast.redis.redlock;

import static java.util.Objects.requireNonNull;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Frees in the background what may be left on nodes: a node that does not answer is asked again
 * until the claim has expired there. Beyond a bound, claims are left to their ttl. Thread-safe.
 */
final class Cleanup {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(2);
  private static final int MAX_WAITING = 10_000;

  private final Quorum quorum;
  private final AtomicInteger waiting = new AtomicInteger();

  // Mutable state
  private volatile boolean closed;

  Cleanup(Quorum quorum) {
    this.quorum = quorum;
  }

  /** Frees what this round has taken, on every node. */
  void everywhere(Claim claim, String round) {
    Quorum.Item item = new Quorum.Item(claim.lock(), List.of(claim.id(), round, "0", "0"));
    Deadline deadline = Deadline.in(claim.ttl().plus(quorum.timeout()), quorum.ticker());
    quorum.everyone().forEach(node -> free(node, item, deadline, FIRST_PAUSE));
  }

  /** Asks a node again that has not answered, for as long as a ttl. */
  void repeat(int node, Quorum.Item item, Duration ttl) {
    freeLater(node, item, Deadline.in(ttl, quorum.ticker()), FIRST_PAUSE);
  }

  void close() {
    closed = true;
  }

  private void free(int node, Quorum.Item item, Deadline deadline, Duration pause) {
    var unused =
        requireNonNull(
                quorum
                    .send(List.of(node), NodeScripts.LEAVE, List.of(item), quorum.deadline())
                    .get(node))
            .exceptionally(
                failure -> {
                  freeLater(node, item, deadline, pause);
                  return List.of();
                });
  }

  private void freeLater(int node, Quorum.Item item, Deadline deadline, Duration pause) {
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      return;
    }
    Duration longer = pause.multipliedBy(2);
    Duration next = longer.compareTo(MAX_PAUSE) < 0 ? longer : MAX_PAUSE;
    var unused =
        quorum
            .ticker()
            .schedule(
                pause,
                () -> {
                  waiting.decrementAndGet();
                  if (!closed && !deadline.isOver()) {
                    free(node, item, deadline, next);
                  }
                });
  }
}
