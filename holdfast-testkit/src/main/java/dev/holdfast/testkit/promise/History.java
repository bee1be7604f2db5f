package dev.holdfast.testkit.promise;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What several clients of some locks did, learned and believed, in the order in which it was
 * observed. Nothing is ever taken out.
 *
 * <p>The order counts: record an attempt before it is made, a grant after it was reported, and the
 * end of a hold before it is given up or as soon as the lease calls itself over. Several processes
 * of one machine may each keep their own: one monotonic clock serves them all, and {@link #read}
 * merges them.
 *
 * <p>Thread-safe.
 */
public final class History {

  private final LongSupplier clock;

  // Mutable state, guarded by this
  private final List<Observation> observations = new ArrayList<>();
  private long attempts;

  /** Empty, on a monotonic clock that counts nanoseconds, such as {@link System#nanoTime}. */
  public History(LongSupplier clock) {
    this.clock = clock;
  }

  /** Reads the files that {@link #write} has written, in the order of time. */
  public static List<Observation> read(Collection<Path> files) throws IOException {
    List<Observation> all = new ArrayList<>();
    for (Path file : files) {
      Files.readAllLines(file).forEach(line -> all.add(Observation.parse(line)));
    }
    all.sort(Comparator.comparingLong(Observation::at));
    return all;
  }

  /** Writes one line for each observation. */
  public synchronized void write(Path file) throws IOException {
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (Observation observation : observations) {
        writer.write(observation.line());
        writer.newLine();
      }
    }
  }

  /** {@return what was observed so far} */
  public synchronized List<Observation> observations() {
    return List.copyOf(observations);
  }

  /** {@return how often that was observed so far} */
  public synchronized long count(What what) {
    return observations.stream().filter(it -> it.what() == what).count();
  }

  /** A caller is about to ask. */
  public synchronized Attempt asks(String who, Construct construct, String lock, Request request) {
    Attempt attempt = new Attempt(++attempts, who, construct, lock);
    attempt.add(What.ASKED, 0, Observation.UNTIL_TOLD, request, "");
    return attempt;
  }

  /** An operator is about to break the lock. */
  public void breaks(String who, String lock) {
    add(What.BROKE, who, Construct.NONE, lock, 0, 0, Observation.UNTIL_TOLD, null, "");
  }

  /**
   * A fence was asked to let somebody enter, or the resource to take a write.
   *
   * @param what {@link What#ENTERED}, {@link What#WROTE} or {@link What#STALE}
   * @param construct the token of a reader raises no fence
   */
  public void fence(What what, String who, Construct construct, String lock, long token) {
    add(what, who, construct, lock, 0, token, Observation.UNTIL_TOLD, null, "");
  }

  /** Something happened to a client, or to the store. */
  public void befell(What what, String who, String text) {
    add(what, who, Construct.NONE, "", 0, 0, Observation.UNTIL_TOLD, null, text);
  }

  /** A claim was found at the end that nobody wants. */
  public void found(String who, String lock, String text) {
    add(What.FOUND, who, Construct.NONE, lock, 0, 0, Observation.UNTIL_TOLD, null, text);
  }

  private synchronized void add(
      What what,
      String who,
      Construct construct,
      String lock,
      long attempt,
      long token,
      long until,
      @Nullable Request request,
      String text) {
    observations.add(
        new Observation(
            clock.getAsLong(), who, what, construct, lock, attempt, token, until, request, text));
  }

  /** One attempt, and the hold that may come of it. */
  public final class Attempt {
    private final long number;
    private final String who;
    private final Construct construct;
    private final String lock;

    // Mutable state
    private volatile long token;

    private Attempt(long number, String who, Construct construct, String lock) {
      this.number = number;
      this.who = who;
      this.construct = construct;
      this.lock = lock;
    }

    /** The caller has a lease. */
    public void granted(long grantedToken) {
      granted(grantedToken, Observation.UNTIL_TOLD);
    }

    /** The caller has a lease that calls itself valid until then, by the history's clock. */
    public void granted(long grantedToken, long until) {
      token = grantedToken;
      add(What.GRANTED, grantedToken, until, null, "");
    }

    /** The caller goes on with a lease that was detached. */
    public void attached(long sameToken) {
      token = sameToken;
      add(What.ATTACHED, sameToken, Observation.UNTIL_TOLD, null, "");
    }

    /** The thread that holds the lock by this attempt has entered again, and was given a token. */
    public void reentered(long innerToken) {
      add(What.REENTERED, innerToken, Observation.UNTIL_TOLD, null, "");
    }

    /** The lease calls itself valid until then, by the history's clock. */
    public void valid(long until) {
      add(What.VALID, token, until, null, "");
    }

    /** The caller has asked for other limits. */
    public void extended(Request limits) {
      add(What.EXTENDED, token, Observation.UNTIL_TOLD, limits, "");
    }

    /** What has no more to it: the end of the attempt or the hold, or news of it. */
    public void is(What what) {
      is(what, "");
    }

    /** As {@link #is(What)}, with more for people. */
    public void is(What what, String text) {
      add(what, token, Observation.UNTIL_TOLD, null, text);
    }

    private void add(
        What what, long withToken, long until, @Nullable Request request, String text) {
      History.this.add(what, who, construct, lock, number, withToken, until, request, text);
    }
  }
}
