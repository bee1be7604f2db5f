package dev.holdfast.torture.worker;

import dev.holdfast.Lease;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes a worker's history. Thread-safe. */
final class Recorder {

  private static final int EXAGGERATION = 20;

  private final HistoryFile file;
  private final Duration added;
  private final AtomicLong attempts = new AtomicLong();

  Recorder(WorkerSettings settings) throws IOException {
    file = HistoryFile.create(settings.history(), settings.source());
    added =
        settings.plant() == Plant.LONG_VALIDITY
            ? settings.ttl().multipliedBy(EXAGGERATION)
            : Duration.ZERO;
  }

  /** A thread is about to ask for a lock. */
  Attempt asks(String who, Construct construct, String lock, Request request, String how) {
    Attempt attempt = new Attempt(who, attempts.incrementAndGet(), construct, lock);
    attempt.append(System.nanoTime(), What.ASKED, 0, Observation.UNTIL_TOLD, request, how);
    return attempt;
  }

  /** One attempt, and the hold that may come of it. */
  final class Attempt {
    private final String who;
    private final long number;
    private final Construct construct;
    private final String lock;

    private Attempt(String who, long number, Construct construct, String lock) {
      this.who = who;
      this.number = number;
      this.construct = construct;
      this.lock = lock;
    }

    /**
     * The lease came into these hands.
     *
     * @param what {@link What#GRANTED} or {@link What#ATTACHED}
     */
    void granted(What what, Lease lease) {
      long now = System.nanoTime();
      long until = lease.isValid() ? until(now, lease.remaining()) : now;
      append(now, what, lease.token(), until, null, "");
    }

    /** Asks the lease, and records the answer; returns whether it is valid. */
    boolean valid(Lease lease) {
      long now = System.nanoTime();
      boolean valid = lease.isValid();
      if (valid) {
        append(now, What.VALID, lease.token(), until(now, lease.remaining()), null, "");
      }
      return valid;
    }

    /** What has no more to it. */
    void is(What what, long token, String text) {
      append(System.nanoTime(), what, token, Observation.UNTIL_TOLD, null, text);
    }

    /**
     * The clock was read before the lease was asked, so the lease calls itself valid for longer.
     */
    private long until(long before, Duration remaining) {
      return before + remaining.plus(added).toNanos();
    }

    private void append(
        long at, What what, long token, long until, @Nullable Request request, String text) {
      file.append(at, who, what, construct, lock, number, token, until, request, text);
    }
  }
}
