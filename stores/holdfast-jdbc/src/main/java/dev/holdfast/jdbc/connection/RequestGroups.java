package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are ready when a connection is free go in one statement and one commit, each for
 * another lock. What that statement does not do is asked alone, on whichever connection is free
 * next, so that it delays no other. The requests of one lock are asked in the order of their
 * submission, one after the other; but one that is not answered soon holds the next one back no
 * longer, because its connection may hang.
 *
 * <p>A single request that is ready goes as it would without groups.
 *
 * <p>Thread-safe. The guard is never held while the database is asked.
 */
public final class RequestGroups {

  private static final int MOST = 64;
  private static final int MOST_LOOKED_AT = 1_024;

  /** How long a request holds back the next one of its lock: as long as it may wait for a row. */
  private static final Duration HELD_BACK = Duration.ofMillis(Limits.MILLIS);

  private final SqlExecutor executor;
  private final Ticker ticker;
  private final @Nullable GroupPath path;
  private final ReentrantLock guard = new ReentrantLock();
  private final AtomicBoolean refused = new AtomicBoolean(); // no thread will look at what is ready

  // Mutable state, guarded
  private final Deque<Pending<?>> ready = new ArrayDeque<>();
  private final Map<String, Pending<?>> asked = new HashMap<>(); // the last one of each lock
  private boolean looksAgain;

  /**
   * Groups on the threads of an executor.
   *
   * @param path null to ask for each request alone
   */
  public RequestGroups(SqlExecutor executor, Ticker ticker, @Nullable GroupPath path) {
    this.executor = executor;
    this.ticker = ticker;
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
    if (!executor.offer(this::serve) && isWithdrawn(pending)) {
      pending.answer.completeExceptionally(executor.refusal(claim.lock()));
    }
    return pending.answer;
  }

  /** Returns false if a thread has taken it meanwhile, and will answer it. */
  private boolean isWithdrawn(Pending<?> pending) {
    guard.lock();
    try {
      return ready.removeLastOccurrence(pending);
    } finally {
      guard.unlock();
    }
  }

  private void serve() {
    askReady();
    serveRefused();
  }

  /** What follows the requests of a store that is closing, or has too many under way. */
  private void serveRefused() {
    while (refused.getAndSet(false)) {
      askReady();
    }
  }

  private void askReady() {
    List<Pending<?>> group = take();
    List<Pending<?>> together = group.stream().filter(Pending::mayGoWithOthers).toList();
    if (path == null || together.size() < 2) {
      together = List.of();
    } else {
      ask(path, together);
    }
    Pending<?> here = null;
    for (Pending<?> one : group) {
      if (one.isDecided()) {
        release(one);
        one.answer();
      } else if (here == null && together.isEmpty()) {
        here = one;
      } else if (!executor.offer(() -> serveAlone(one))) {
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
    boolean plans;
    guard.lock();
    try {
      long now = ticker.nanoTime();
      Iterator<Pending<?>> waiting = ready.iterator();
      for (int i = 0; i < MOST_LOOKED_AT && group.size() < MOST && waiting.hasNext(); i++) {
        Pending<?> one = waiting.next();
        String lock = one.claim.lock();
        Pending<?> before = asked.get(lock);
        if (passed.contains(lock) || (before != null && before.holdsBack(now))) {
          passed.add(lock);
        } else {
          one.askedAt = now;
          asked.put(lock, one);
          group.add(one);
          waiting.remove();
        }
      }
      plans = !passed.isEmpty() && !looksAgain;
      looksAgain |= plans;
    } finally {
      guard.unlock();
    }
    if (plans) {
      ticker.schedule(HELD_BACK, this::lookAgain);
    }
    return group;
  }

  /** The answers that others wait for may never come. */
  private void lookAgain() {
    guard.lock();
    try {
      looksAgain = false;
      if (ready.isEmpty()) {
        return;
      }
    } finally {
      guard.unlock();
    }
    executor.offer(this::serve); // if it is refused, others look, or the store is closed
  }

  private void ask(GroupPath path, List<Pending<?>> together) {
    List<GroupPath.Request> requests = together.stream().map(one -> one.request).toList();
    Deadline last = together.get(0).deadline;
    for (Pending<?> one : together) {
      last = one.deadline.remainingNanos() > last.remainingNanos() ? one.deadline : last;
    }
    CompletableFuture<Map<Claim, Long>> answer = new CompletableFuture<>();
    executor.run("group", "", last, connection -> path.run(connection, requests), answer);
    answer.whenComplete((done, failure) -> together.forEach(one -> one.learn(done, failure)));
  }

  private void serveAlone(Pending<?> one) {
    askAlone(one);
    serveRefused();
  }

  private <T> void askAlone(Pending<T> one) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    executor.run(one.verb, one.claim.lock(), one.deadline, one.alone, answer);
    release(one);
    answer.whenComplete(one::answer);
  }

  /**
   * The next request of the same lock may be asked: before its caller hears, who may wait for it.
   */
  private void release(Pending<?> one) {
    boolean more;
    guard.lock();
    try {
      asked.remove(one.claim.lock(), one);
      more = !ready.isEmpty();
    } finally {
      guard.unlock();
    }
    if (more && !executor.offer(this::serve)) {
      refused.set(true);
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

    // Mutable state: guarded, then of the thread that asks
    long askedAt;
    private @Nullable Long token;
    private @Nullable Throwable failure; // of a group that may have done it

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

    boolean holdsBack(long now) {
      return now - askedAt < HELD_BACK.toNanos();
    }

    boolean mayGoWithOthers() {
      return request != null && !deadline.isOver();
    }

    void learn(@Nullable Map<Claim, Long> done, @Nullable Throwable failed) {
      token = done == null ? null : done.get(claim);
      failure = failed;
    }

    /** A release whose answer was lost is unknown: the next one would find the claim gone. */
    boolean isDecided() {
      return token != null
          || (failure != null && request != null && request.verb() == GroupPath.Verb.RELEASE);
    }

    void answer() {
      Long known = token;
      Throwable why = failure;
      if (known != null) {
        answer.complete(granted.apply(known));
      } else if (why != null) {
        answer.completeExceptionally(why);
      }
    }

    /** What a lost group asked may still be done, so it is not busy for certain. */
    void answer(@Nullable T value, @Nullable Throwable failed) {
      Throwable why = value instanceof Busy ? failure : failed;
      if (why != null) {
        answer.completeExceptionally(why);
      } else {
        answer.complete(value);
      }
    }
  }
}
