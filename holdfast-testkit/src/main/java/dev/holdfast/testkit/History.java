package dev.holdfast.testkit;

import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What several clients of some locks did and believed, in the order in which it happened; {@link
 * HistoryChecker} decides whether a correct store could have produced it.
 *
 * <p>The order counts: record an attempt before it is made, a grant after it was reported, and the
 * end of a hold before it is given up or as soon as the lease calls itself over.
 *
 * <p><b>Threads.</b> Safe for any.
 */
public final class History {

  /** What happened. */
  public enum Type {
    /** A client is about to ask for the lock. */
    ATTEMPT,
    /** The lock was reported as theirs. */
    GRANTED,
    /** They are about to give it back. */
    RELEASED,
    /** The client learned that it is over. */
    LOST,
    /** The client stopped waiting, or got busy. */
    GAVE_UP,
    /** The client got an unknown outcome. */
    UNKNOWN
  }

  /**
   * One entry.
   *
   * @param number which attempt it belongs to
   * @param at when, since the history began
   * @param type what happened
   * @param who to whom
   * @param lock at which lock
   * @param weight how much of the capacity they ask for
   * @param capacity what all weights may add up to
   * @param token of the grant; 0 before
   */
  public record Event(
      int number,
      Duration at,
      Type type,
      String who,
      String lock,
      int weight,
      int capacity,
      long token) {

    @Override
    public String toString() {
      String what =
          "%9.3f s  %-8s %-10s %s #%d".formatted(at.toNanos() / 1e9, type, who, lock, number);
      return token == 0 ? what : what + " token " + token;
    }
  }

  private final String title;
  private final Ticker ticker;
  private final long start;

  // Mutable state, guarded by this
  private final List<Event> events = new ArrayList<>();
  private int attempts;

  /**
   * Begins now.
   *
   * @param title what failures are headed with: the seed, so that the run can be made again
   */
  public History(String title, Ticker ticker) {
    this.title = title;
    this.ticker = ticker;
    this.start = ticker.nanoTime();
  }

  /** A client is about to ask for a mutex. */
  public Attempt attempt(String who, String lock) {
    return attempt(who, lock, 1, 1);
  }

  /** A client is about to ask for this weight. */
  public synchronized Attempt attempt(String who, String lock, int weight, int capacity) {
    Attempt attempt = new Attempt(attempts++, who, lock, weight, capacity);
    attempt.record(Type.ATTEMPT, 0);
    return attempt;
  }

  /** What happened so far. */
  public synchronized List<Event> events() {
    return List.copyOf(events);
  }

  /** How many attempts were granted. */
  public synchronized long grants() {
    return events.stream().filter(event -> event.type() == Type.GRANTED).count();
  }

  /** Fails if no right store could have let it happen, with the title and what led there. */
  public void check() {
    HistoryChecker.check(title, events());
  }

  private synchronized void add(
      int number, Type type, String who, String lock, int weight, int capacity, long token) {
    Duration at = Duration.ofNanos(ticker.nanoTime() - start);
    events.add(new Event(number, at, type, who, lock, weight, capacity, token));
  }

  /** One attempt and the hold that may come of it. */
  public final class Attempt {
    private final int number;
    private final String who;
    private final String lock;
    private final int weight;
    private final int capacity;

    // Mutable state
    private volatile long token;

    private Attempt(int number, String who, String lock, int weight, int capacity) {
      this.number = number;
      this.who = who;
      this.lock = lock;
      this.weight = weight;
      this.capacity = capacity;
    }

    /** The lock was reported as theirs. */
    public void granted(long withToken) {
      token = withToken;
      record(Type.GRANTED, withToken);
    }

    /** They are about to give it back. */
    public void released() {
      record(Type.RELEASED, token);
    }

    /** The client learned that it is over. */
    public void lost() {
      record(Type.LOST, token);
    }

    /** The client stopped waiting, or got busy. */
    public void gaveUp() {
      record(Type.GAVE_UP, 0);
    }

    /** The client got an unknown outcome. */
    public void unknown() {
      record(Type.UNKNOWN, 0);
    }

    private void record(Type type, long withToken) {
      add(number, type, who, lock, weight, capacity, withToken);
    }
  }
}
