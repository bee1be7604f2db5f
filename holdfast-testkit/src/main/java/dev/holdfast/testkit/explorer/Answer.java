package dev.holdfast.testkit.explorer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call, which can be delivered more than once: those who wait for it then get it
 * again, as from a client library that does not notice a repeated reply. Not thread-safe.
 */
final class Answer<T> extends CompletableFuture<T> {

  // Mutable state
  private final List<BiConsumer<? super @Nullable T, ? super @Nullable Throwable>> waiting =
      new ArrayList<>();

  @Override
  public CompletableFuture<T> whenComplete(
      BiConsumer<? super @Nullable T, ? super @Nullable Throwable> action) {
    waiting.add(action);
    return super.whenComplete(action);
  }

  /** Delivers the answer once more. */
  void repeat() {
    T answer = join();
    waiting.forEach(action -> action.accept(answer, null));
  }
}
