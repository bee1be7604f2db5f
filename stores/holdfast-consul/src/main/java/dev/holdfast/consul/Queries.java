package dev.holdfast.consul;

import dev.holdfast.Registration;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Blocking queries: each asks again and again, and is answered when there is news, or after a while
 * without. Each takes a connection for itself; so many run at a time, and if there are more they
 * take turns. Any threads.
 */
final class Queries {

  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration REST = Duration.ofMillis(500);

  private final Members members;
  private final Transport transport;
  private final Ticker ticker;
  private final Slots slots;

  Queries(Members members, Transport transport, Ticker ticker, int atOnce) {
    this.members = members;
    this.transport = transport;
    this.ticker = ticker;
    this.slots = new Slots(atOnce);
  }

  /**
   * A query that is not started yet.
   *
   * @param path with parameters
   * @param index what is newer than this is news; 0: the first answer comes at once
   * @param isOver hears each answer, found or not found, and tells whether it was the last
   * @param interrupted something may have happened unseen
   */
  Query of(String path, long index, Predicate<Answer> isOver, Runnable interrupted) {
    return new Query(path, index, isOver, interrupted);
  }

  /** One blocking query. */
  final class Query {
    private final String path;
    private final Predicate<Answer> isOver;
    private final Runnable interrupted;

    // Mutable state: one request at a time
    private volatile long index;
    private volatile boolean ended;
    private volatile Registration later = Registration.NONE;
    private volatile @Nullable CompletableFuture<Answer> request;

    private Query(String path, long index, Predicate<Answer> isOver, Runnable interrupted) {
      this.path = path;
      this.index = index;
      this.isOver = isOver;
      this.interrupted = interrupted;
    }

    void start() {
      slots.run(this::ask);
    }

    /** Starts it later, unless it has ended by then. */
    void startIn(Duration time) {
      later = ticker.schedule(time, this::start);
    }

    void end() {
      ended = true;
      later.close();
      CompletableFuture<Answer> asked = request;
      if (asked != null) {
        asked.cancel(true);
      }
    }

    private CompletableFuture<Answer> ask() {
      if (ended) {
        return CompletableFuture.failedFuture(new IllegalStateException("nobody asks any more"));
      }
      String wait = "&index=" + index + "&wait=" + WAIT.toSeconds() + "s";
      CompletableFuture<Answer> asked =
          transport.send(
              members.address(members.current()),
              "GET",
              path + wait,
              "",
              WAIT.plus(WAIT).plus(GRACE));
      request = asked;
      if (ended) { // meanwhile
        asked.cancel(true);
      }
      var unused = asked.whenComplete((answer, failure) -> heard(failure == null ? answer : null));
      return asked;
    }

    private void heard(@Nullable Answer answer) {
      try {
        if (ended) {
          return;
        }
        if (answer == null || (answer.status() != 200 && answer.status() != 404)) {
          interrupted.run();
        } else {
          // One that went back is of a restored snapshot: what it was compared with is void.
          index = answer.index() < index ? 0 : answer.index();
          if (isOver.test(answer)) {
            ended = true;
          } else if (index > 0) {
            start();
            return;
          }
        }
      } catch (RuntimeException unreadable) {
        interrupted.run();
      }
      // Who asks without an index is answered at once, and would ask for ever.
      if (!ended) {
        startIn(REST);
      }
    }
  }
}
