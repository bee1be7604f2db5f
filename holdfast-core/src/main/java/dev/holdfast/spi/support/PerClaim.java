package dev.holdfast.spi.support;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects one answer for each claim from requests that run side by side. A request that fails
 * makes only its own claims unknown. Thread-safe.
 *
 * @param <T> what the store is asked about: a claim, or a departure
 * @param <R> the answer for one claim
 */
public final class PerClaim<T, R> {

  /** For {@code refresh}. */
  public static final PerClaim<Claim, Standing> STANDINGS =
      new PerClaim<>(claim -> claim, Unknown::new);

  /** For {@code leave}. */
  public static final PerClaim<Departure, Left> DEPARTURES =
      new PerClaim<>(Departure::claim, failure -> Left.UNKNOWN);

  private final Function<T, Claim> claimOf;
  private final Function<Throwable, R> unknown;

  /**
   * @param unknown the answer for a claim whose request failed, from the unwrapped failure
   */
  public PerClaim(Function<T, Claim> claimOf, Function<Throwable, R> unknown) {
    this.claimOf = claimOf;
    this.unknown = unknown;
  }

  /** The answers of two requests. */
  public static <R> Map<Claim, R> both(Map<Claim, R> some, Map<Claim, R> others) {
    Map<Claim, R> all = new HashMap<>(some);
    all.putAll(others);
    return all;
  }

  /**
   * Sends one request for each item.
   *
   * @return an answer for each claim; never fails
   */
  public CompletableFuture<Map<Claim, R>> each(
      Collection<T> items, Function<T, ? extends CompletionStage<R>> request) {
    return items.size() == 1
        ? only(items.iterator().next(), request) // nearly every release
        : inChunks(items, 1, one -> only(one.get(0), request));
  }

  private CompletableFuture<Map<Claim, R>> only(
      T item, Function<T, ? extends CompletionStage<R>> request) {
    return send(item, request)
        .handle(
            (answer, failure) ->
                Map.of(
                    claimOf.apply(item),
                    failure == null ? answer : unknown.apply(Failures.unwrap(failure))));
  }

  /**
   * Sends one request for each chunk of items.
   *
   * @param size the most that one request takes
   * @return an answer for each claim; never fails
   */
  public CompletableFuture<Map<Claim, R>> inChunks(
      Collection<T> items,
      int size,
      Function<List<T>, ? extends CompletionStage<Map<Claim, R>>> request) {
    if (items.size() <= size) {
      return items.isEmpty() ? CompletableFuture.completedFuture(Map.of()) : known(items, request);
    }
    Map<Claim, R> answers = new ConcurrentHashMap<>();
    return CompletableFuture.allOf(
            Chunks.of(items, size).stream()
                .map(chunk -> known(chunk, request).thenAccept(answers::putAll))
                .toArray(CompletableFuture[]::new))
        .thenApply(done -> answers);
  }

  private CompletableFuture<Map<Claim, R>> known(
      Collection<T> items, Function<List<T>, ? extends CompletionStage<Map<Claim, R>>> request) {
    return send(List.copyOf(items), request)
        .exceptionally(failure -> allUnknown(items, Failures.unwrap(failure)));
  }

  /**
   * As {@link #inChunks}, but a request that fails is split in halves and sent again, until the
   * deadline, so that one bad record makes only its own claim unknown.
   *
   * @return an answer for each claim; fails if every single request failed
   */
  public CompletableFuture<Map<Claim, R>> splitting(
      Collection<T> items,
      int size,
      Deadline deadline,
      Function<List<T>, ? extends CompletionStage<Map<Claim, R>>> request) {
    Splitting splitting = new Splitting(deadline, request);
    return CompletableFuture.allOf(
            Chunks.of(items, size).stream().map(splitting::part).toArray(CompletableFuture[]::new))
        .thenCompose(done -> splitting.result());
  }

  private Map<Claim, R> allUnknown(Collection<T> items, Throwable failure) {
    Map<Claim, R> answers = new HashMap<>();
    items.forEach(item -> answers.put(claimOf.apply(item), unknown.apply(failure)));
    return answers;
  }

  // A request that throws has failed like one whose stage fails.
  private static <I, A> CompletableFuture<A> send(
      I asked, Function<I, ? extends CompletionStage<A>> request) {
    try {
      return request.apply(asked).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Requests that are split while they fail. Thread-safe. */
  private final class Splitting {
    private final Deadline deadline;
    private final Function<List<T>, ? extends CompletionStage<Map<Claim, R>>> request;
    private final Map<Claim, R> answers = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    // Mutable state
    private volatile boolean answered;

    Splitting(
        Deadline deadline, Function<List<T>, ? extends CompletionStage<Map<Claim, R>>> request) {
      this.deadline = deadline;
      this.request = request;
    }

    CompletableFuture<Void> part(List<T> items) {
      return send(items, request)
          .thenAccept(
              some -> {
                answered = true;
                answers.putAll(some);
              })
          .exceptionallyCompose(failure -> smaller(items, Failures.unwrap(failure)));
    }

    private CompletableFuture<Void> smaller(List<T> items, Throwable failure) {
      if (items.size() > 1 && !deadline.isOver()) {
        int half = items.size() / 2;
        return CompletableFuture.allOf(
            part(items.subList(0, half)), part(items.subList(half, items.size())));
      }
      failed.set(failure);
      answers.putAll(allUnknown(items, failure));
      return CompletableFuture.completedFuture(null);
    }

    CompletableFuture<Map<Claim, R>> result() {
      Throwable failure = failed.get();
      return answered || failure == null
          ? CompletableFuture.completedFuture(answers)
          : CompletableFuture.failedFuture(failure);
    }
  }
}
