package dev.holdfast.engine;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Something built on locks that must stop before the client gives its locks back; see {@link
 * Closings}. Thread-safe.
 */
public interface Closing {

  /**
   * Begins to end it, without waiting.
   *
   * @return completed when it has ended; at once if the caller is what it would wait for
   */
  CompletableFuture<?> end();

  /** Does on the calling thread what its executor has not got to. */
  void hurry();

  /**
   * @return the lease that it has not stopped to use; the end of the client does not give it back
   */
  @Nullable EngineLease held();
}
