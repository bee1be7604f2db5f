package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Believes a grant or a renewal only when so many replicas have it. WAIT stops everything behind it
 * on its connection, so this has one of its own, and WAIT tells only of what was written through
 * that connection, so the scripts go through it too.
 *
 * <p>It cannot make a fail-over safe: a replica that lacks the write may be the one promoted.
 */
final class Replication implements ScriptRunner {

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  private final String url;
  private final Link link;
  private final int replicas;
  private final long waitMillis;

  Replication(String url, Link link, int replicas, Duration timeout) {
    this.url = url;
    this.link = link;
    this.replicas = replicas;
    this.waitMillis =
        Math.max(1, Math.min(LONGEST_WAIT.toMillis(), timeout.dividedBy(2).toMillis()));
  }

  /** Fails, too, if there is a grant among the replies and it is on too few replicas. */
  @Override
  public CompletableFuture<List<Reply>> run(
      Script script,
      String what,
      String lock,
      List<String> keys,
      List<String> args,
      Deadline deadline) {
    long breaks = link.calls().breaks();
    return link.run(script, what, lock, keys, args, deadline)
        .thenCompose(
            replies ->
                replies.stream().anyMatch(reply -> reply.word().equals("granted"))
                    ? await(lock).thenApply(has -> checked(has, breaks, what, lock, replies))
                    : CompletableFuture.completedFuture(replies));
  }

  private CompletableFuture<Long> await(String lock) {
    Supplier<RedisFuture<Long>> command =
        () -> link.commands().waitForReplication(replicas, waitMillis);
    // How many replicas have it by then is an answer, so it need not wait for the caller's
    // deadline.
    Deadline timeout = link.calls().timeout();
    return link.calls().send("wait for replicas", lock, false, timeout, command, command);
  }

  @Override
  public void close() {
    link.close();
  }

  // On a connection that was made after the write, WAIT knows nothing of it and answers at once.
  private List<Reply> checked(
      long replicated, long breaks, String what, String lock, List<Reply> replies) {
    long acknowledged = link.calls().breaks() == breaks ? replicated : 0;
    if (acknowledged < replicas) {
      throw new StoreException(
          lock,
          "The "
              + what
              + " of '"
              + lock
              + "' is on "
              + acknowledged
              + " of "
              + replicas
              + " replicas of "
              + url
              + " after "
              + waitMillis
              + " ms: it does not count.");
    }
    return replies;
  }
}
