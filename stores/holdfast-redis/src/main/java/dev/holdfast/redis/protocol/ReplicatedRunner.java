package dev.holdfast.redis.protocol;

import dev.holdfast.StoreException;
import dev.holdfast.redis.client.Requests;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Counts a grant or a renewal only once enough replicas have it. WAIT holds up everything behind it
 * on its connection, so this runner has a separate connection; and WAIT covers only what was
 * written through that connection, so the scripts run there too.
 *
 * <p>It cannot make a fail-over safe: a replica that lacks the write may be the one promoted.
 */
final class ReplicatedRunner implements ScriptRunner {

  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private final String url;
  private final StoreConnection connection;
  private final int replicas;
  private final long waitMillis;

  ReplicatedRunner(String url, StoreConnection connection, int replicas, Duration timeout) {
    this.url = url;
    this.connection = connection;
    this.replicas = replicas;
    this.waitMillis = Math.max(1, Math.min(MAX_WAIT.toMillis(), timeout.dividedBy(2).toMillis()));
  }

  /** Also fails if one of the replies is a grant and too few replicas have it. */
  @Override
  public CompletableFuture<List<Reply>> run(
      Script script, String lock, List<String> keys, List<String> arguments, Deadline deadline) {
    long breaks = connection.requests().breaks();
    return connection
        .run(script, lock, keys, arguments, deadline)
        .thenCompose(
            replies ->
                replies.stream().anyMatch(reply -> reply.word().equals("granted"))
                    ? replicated(lock, breaks)
                        .thenApply(count -> check(count, script, lock, replies))
                    : CompletableFuture.completedFuture(replies));
  }

  // On a connection that was made after the write, WAIT knows nothing of it and answers at once.
  private CompletableFuture<Long> replicated(String lock, long breaks) {
    Requests requests = connection.requests();
    return requests
        .send(
            "wait for replicas",
            lock,
            false,
            requests.timeout(),
            () -> connection.commands().waitForReplication(replicas, waitMillis),
            null)
        .thenApply(count -> requests.breaks() == breaks ? count : 0);
  }

  private List<Reply> check(long count, Script script, String lock, List<Reply> replies) {
    if (count < replicas) {
      throw new StoreException(
          lock,
          "The %s of '%s' is on %d of %d replicas of %s after %d ms: it does not count."
              .formatted(script.operation(), lock, count, replicas, url, waitMillis));
    }
    return replies;
  }

  @Override
  public CompletableFuture<Void> close() {
    return connection.close();
  }
}
