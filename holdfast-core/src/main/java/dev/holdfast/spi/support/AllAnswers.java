package dev.holdfast.spi.support;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The answers to requests that run side by side. */
public final class AllAnswers {

  private AllAnswers() {}

  /**
   * Waits for all requests, also when one fails.
   *
   * @return the answers in the order of the requests; fails if one of them has failed
   */
  public static <T> CompletableFuture<List<T>> of(
      Collection<? extends CompletionStage<T>> requests) {
    List<CompletableFuture<T>> all =
        requests.stream().map(CompletionStage::toCompletableFuture).toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
  }

  /**
   * @return true if any answer is; fails if one of the requests has failed
   */
  public static CompletableFuture<Boolean> any(
      Collection<? extends CompletionStage<Boolean>> requests) {
    return of(requests).thenApply(answers -> answers.contains(true));
  }
}
