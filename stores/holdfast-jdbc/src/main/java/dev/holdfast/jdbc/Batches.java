package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a verb on many claims: so many in each transaction that few are needed and none keeps others
 * waiting for long. A transaction that fails is split, so that one bad record makes only its own
 * claim unknown.
 *
 * @param <T> what the verb takes
 * @param <R> what it answers for each claim
 */
final class Batches<T, R> {

  static final int SIZE = NameList.MAX;

  /** The verb on one transaction's worth. */
  @FunctionalInterface
  interface Verb<T, R> {
    Map<Claim, R> run(Session session, List<T> items) throws SQLException;
  }

  private final SqlExecutor executor;
  private final String name;
  private final Function<T, Claim> claimOf;
  private final Verb<T, R> verb;
  private final Function<Throwable, R> unknown;

  Batches(
      SqlExecutor executor,
      String name,
      Function<T, Claim> claimOf,
      Verb<T, R> verb,
      Function<Throwable, R> unknown) {
    this.executor = executor;
    this.name = name;
    this.claimOf = claimOf;
    this.verb = verb;
    this.unknown = unknown;
  }

  /** All answers; fails only if there is no answer for any claim. */
  CompletableFuture<Map<Claim, R>> run(Collection<T> items, Deadline deadline) {
    List<T> all = List.copyOf(items);
    if (all.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Outcome<R> outcome = new Outcome<>();
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += SIZE) {
      parts.add(part(all.subList(from, Math.min(all.size(), from + SIZE)), deadline, outcome));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenCompose(done -> outcome.result());
  }

  private CompletableFuture<Void> part(List<T> items, Deadline deadline, Outcome<R> outcome) {
    String lock = items.size() == 1 ? claimOf.apply(items.get(0)).lock() : "";
    return executor
        .submit(name, lock, deadline, session -> verb.run(session, items))
        .handle(
            (answers, failure) -> {
              if (failure == null) {
                outcome.answered(answers);
              } else if (items.size() == 1 || deadline.isOver()) {
                outcome.failed(failure);
                items.forEach(
                    item -> outcome.answers.put(claimOf.apply(item), unknown.apply(failure)));
              } else {
                int half = items.size() / 2;
                return CompletableFuture.allOf(
                    part(items.subList(0, half), deadline, outcome),
                    part(items.subList(half, items.size()), deadline, outcome));
              }
              return CompletableFuture.allOf();
            })
        .thenCompose(next -> next);
  }

  /** The answers so far. Safe for any threads. */
  private static final class Outcome<R> {
    final Map<Claim, R> answers = new ConcurrentHashMap<>();

    // Mutable state
    private volatile boolean answered;
    private volatile @Nullable Throwable failure;

    void answered(Map<Claim, R> some) {
      answered = true;
      answers.putAll(some);
    }

    void failed(Throwable cause) {
      failure = cause;
    }

    CompletableFuture<Map<Claim, R>> result() {
      Throwable cause = failure;
      return answered || cause == null
          ? CompletableFuture.completedFuture(answers)
          : CompletableFuture.failedFuture(cause);
    }
  }
}
