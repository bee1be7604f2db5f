package dev.holdfast.redis;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Collects the answers of the nodes to one question until they suffice, all are in, or patience
 * ends. Any threads.
 */
final class RedlockPoll {

  private final Ticker ticker;
  private final int nodes;
  private final Predicate<RedlockBallot> suffices;
  private final @Nullable Duration grace;
  private final long start;
  private final CompletableFuture<RedlockBallot> result = new CompletableFuture<>();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final List<RedlockVote> votes = new ArrayList<>();
  private final List<Registration> timers = new ArrayList<>();
  private int answered;
  private boolean sufficient;
  private @Nullable Throwable failure;

  private RedlockPoll(
      Ticker ticker, int nodes, @Nullable Duration grace, Predicate<RedlockBallot> suffices) {
    this.ticker = ticker;
    this.nodes = nodes;
    this.grace = grace;
    this.suffices = suffices;
    this.start = ticker.nanoTime();
  }

  /**
   * Never fails.
   *
   * @param answers one for each node, null where none was asked for
   * @param grace how long the others have once the answers suffice, and as long again as that took:
   *     a node that is slow or hangs must not hold up everybody, one that is a little later should
   *     be in; null if they are not waited for
   */
  static CompletableFuture<RedlockBallot> of(
      Ticker ticker,
      List<? extends @Nullable CompletableFuture<Reply>> answers,
      Duration patience,
      @Nullable Duration grace,
      Predicate<RedlockBallot> suffices) {
    RedlockPoll poll = new RedlockPoll(ticker, answers.size(), grace, suffices);
    poll.finishAfter(patience);
    for (int i = 0; i < answers.size(); i++) {
      int node = i;
      CompletableFuture<Reply> answer = answers.get(i);
      if (answer == null) {
        poll.add(null, null);
      } else {
        var unused =
            answer.whenComplete(
                (reply, failure) ->
                    poll.add(reply == null ? null : new RedlockVote(node, reply), failure));
      }
    }
    return poll.result;
  }

  private void add(@Nullable RedlockVote vote, @Nullable Throwable why) {
    boolean done;
    mutex.lock();
    try {
      answered++;
      if (vote != null) {
        votes.add(vote);
      }
      if (why != null) {
        failure = why instanceof CompletionException e && e.getCause() != null ? e.getCause() : why;
      }
      boolean before = sufficient;
      sufficient = sufficient || suffices.test(ballot());
      done = answered == nodes || (sufficient && grace == null);
      if (!done && sufficient && !before && grace != null) {
        finishAfter(grace.plusNanos(ticker.nanoTime() - start));
      }
    } finally {
      mutex.unlock();
    }
    if (done) {
      finish();
    }
  }

  private void finishAfter(Duration delay) {
    Registration timer = ticker.schedule(delay, this::finish);
    mutex.lock();
    try {
      timers.add(timer);
    } finally {
      mutex.unlock();
    }
  }

  private void finish() {
    RedlockBallot ballot;
    mutex.lock();
    try {
      timers.forEach(Registration::close);
      timers.clear();
      ballot = ballot();
    } finally {
      mutex.unlock();
    }
    result.complete(ballot);
  }

  private RedlockBallot ballot() {
    return new RedlockBallot(nodes, List.copyOf(votes), failure);
  }
}
