package dev.holdfast.redis.script;

import dev.holdfast.spi.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Runs scripts on a server, without blocking the caller. Thread-safe. */
public interface ScriptRunner {

  /**
   * Runs a script once, in one round trip if the server knows it.
   *
   * @param lock the lock's name for messages, or empty
   * @return the replies, one for each lock that the keys name; fails with {@link
   *     dev.holdfast.StoreException} if there is no answer by the deadline, or a refusal
   */
  CompletableFuture<List<Reply>> run(
      Script script, String lock, List<String> keys, List<String> arguments, Deadline deadline);

  /** Closes the connection. */
  CompletableFuture<Void> close();
}
