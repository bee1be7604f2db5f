package dev.holdfast.redis;

import dev.holdfast.spi.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Runs scripts on a server. Any threads; nobody waits here. */
interface ScriptRunner {

  /**
   * Runs a script once, in one round trip if the server knows it.
   *
   * @param what as messages call it
   * @param lock that it is about, or empty
   * @param deadline until when to wait for the answer
   * @return the replies, one for each lock that the keys name; fails with {@link
   *     dev.holdfast.StoreException}
   */
  CompletableFuture<List<Reply>> run(
      Script script,
      String what,
      String lock,
      List<String> keys,
      List<String> args,
      Deadline deadline);

  /** Closes the connection. */
  void close();
}
