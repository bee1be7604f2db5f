package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are ready when a connection is free go in one statement and one commit, each for
 * another lock. What that statement does not do is asked alone, on whichever connection is free
 * next, so that it delays no other. The requests of one lock are asked in the order of their
 * submission, one after the other.
 *
 * <p>A single request that is ready goes as it would without groups.
 *
 * <p>Thread-safe. The guard is never held while the database is asked.
 */
public final class RequestGroups {

  private static final int MOST = 64;

  private final SqlExecutor executor;
  private final @Nullable GroupPath path;
  private final ReentrantLock guard = new ReentrantLock();

  // Mutable state, guarded
  private final Deque<Pending<?>> ready = new ArrayDeque<>();
  private final Set<String> asked = new HashSet<>(); // locks with a request under way

  /**
   * Groups on the threads of an executor.
   *
   * @param path null to ask for each request alone
   */
  public RequestGroups(SqlExecutor executor, @Nullable GroupPath path) {
    this.executor = executor;
    this.path = path;
  }

  /**
   * Asks for a claim, with others if it can.
   *
   * @param verb for messages, as in {@link SqlExecutor#submit}
   * @param request what a group asks for it; null if it is to be asked alone
   * @param granted makes the answer from the token, if the group did it
   * @param alone asks for it alone
   */
  public <T> CompletableFuture<T> submit(
      String verb,
      Deadline deadline,
      Claim claim,
      GroupPath.@Nullable Request request,
      Function<Long, T> granted,
      StoreConnection.Work<T> alone) {
    if (path == null) {
      return executor.submit(verb, claim.lock(), deadline, alone);
    }
    Pending<T> pending = new Pending<>(verb, deadline, claim, request, granted, alone);
    guard.lock();
    try {
      ready.add(pending);
    } finally {
      guard.unlock();
    }
    if (!executor.offer(this::askReady)) {
      pending.answer.completeExceptionally(executor.refusal(claim.lock()));
    }
    return pending.answer;
  }

  private void askReady() {
    List<Pending<?>> group = take();
    List<Pending<?>> together = group.stream().filter(one -> one.request != null).toList();
    if (path == null || together.size() < 2) {
      together = List.of();
    } else {
      ask(path, together);
    }
    Pending<?> here = null;
    for (Pending<?> one : group) {
      if (one.answer.isDone()) {
        ended(one);
      } else if (here == null && together.isEmpty()) {
        here = one;
      } else if (!executor.offer(() -> askAlone(one))) {
        askAlone(one);
      }
    }
    if (here != null) {
      askAlone(here);
    }
  }

  /** Takes what is ready, in order, at most one request for each lock. */
  private List<Pending<?>> take() {
    List<Pending<?>> group = new ArrayList<>();
    Set<String> passed = new HashSet<>();
    guard.lock();
    try {
      Iterator<Pending<?>> waiting = ready.iterator();
      while (waiting.hasNext() && group.size() < MOST && passed.size() < MOST) {
        Pending<?> one = waiting.next();
        String lock = one.claim.lock();
        if (one.answer.isDone()) { // it was refused
          waiting.remove();
        } else if (!passed.contains(lock) && asked.add(lock)) {
          group.add(one);
          waiting.remove();
        } else {
          passed.add(lock);
        }
      }
      return group;
    } finally {
      guard.unlock();
    }
  }

  private void ask(GroupPath path, List<Pending<?>> together) {
    List<GroupPath.Request> requests = together.stream().map(one -> one.request).toList();
    Deadline last = together.get(0).deadline;
    for (Pending<?> one : together) {
      last = one.deadline.remainingNanos() > last.remainingNanos() ? one.deadline : last;
    }
    CompletableFuture<Map<Claim, Long>> answer = new CompletableFuture<>();
    executor.run("group", "", last, connection -> path.run(connection, requests), answer);
    answer.whenComplete((done, failure) -> together.forEach(one -> one.answered(done, failure)));
  }

  private <T> void askAlone(Pending<T> one) {
    executor.run(one.verb, one.claim.lock(), one.deadline, one.alone, one.answer);
    ended(one);
  }

  /** The next request of the same lock may be asked. */
  private void ended(Pending<?> one) {
    boolean more;
    guard.lock();
    try {
      asked.remove(one.claim.lock());
      more = !ready.isEmpty();
    } finally {
      guard.unlock();
    }
    if (more && !executor.offer(this::askReady)) {
      askReady(); // the store is closing
    }
  }

  private static final class Pending<T> {
    final String verb;
    final Deadline deadline;
    final Claim claim;
    final GroupPath.@Nullable Request request;
    final Function<Long, T> granted;
    final StoreConnection.Work<T> alone;
    final CompletableFuture<T> answer = new CompletableFuture<>();

    Pending(
        String verb,
        Deadline deadline,
        Claim claim,
        GroupPath.@Nullable Request request,
        Function<Long, T> granted,
        StoreConnection.Work<T> alone) {
      this.verb = verb;
      this.deadline = deadline;
      this.claim = claim;
      this.request = request;
      this.granted = granted;
      this.alone = alone;
    }

    /** A release whose answer was lost is unknown: the next one would find the claim gone. */
    void answered(@Nullable Map<Claim, Long> done, @Nullable Throwable failure) {
      Long token = done == null ? null : done.get(claim);
      if (token != null) {
        answer.complete(granted.apply(token));
      } else if (failure != null && request != null && request.verb() == GroupPath.Verb.RELEASE) {
        answer.completeExceptionally(failure);
      }
    }
  }
}
