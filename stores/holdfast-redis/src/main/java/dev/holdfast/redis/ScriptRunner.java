package dev.holdfast.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Runs scripts on a server. Any threads; nobody waits here. */
interface ScriptRunner {

  /**
   * Runs a script once, in one round trip if the server knows it.
   *
   * @param what as messages call it
   * @param lock that it is about, or empty
   * @return the replies, one for each lock that the keys name; fails with {@link
   *     dev.holdfast.StoreException}
   */
  CompletableFuture<List<Reply>> run(
      Script script, String what, String lock, List<String> keys, List<String> args);

  /** Closes the connection. */
  void close();
}
