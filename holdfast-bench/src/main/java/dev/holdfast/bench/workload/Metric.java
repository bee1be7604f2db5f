package dev.holdfast.bench.workload;

/**
 * What a figure means.
 *
 * @param words as the head of a column
 * @param better which way is better
 */
public record Metric(String words, Better better) {

  /** Which way is better. */
  public enum Better {
    HIGHER,
    LOWER
  }

  /** Acquisitions, each with its release. */
  public static final Metric RATE = higher("acquisitions per second");

  /** How evenly threads get their turns. */
  public static final Metric SPREAD = lower("most / fewest turns of a thread");

  /** How evenly processes do. */
  public static final Metric JVM_SHARE = higher("fewest turns of a JVM / mean");

  /** What the client spends: threads that hand work to each other cost more than time. */
  public static final Metric PROCESSOR_EACH = lower("µs of the client's CPU each");

  /** What it allocates. */
  public static final Metric BYTES_EACH = lower("bytes of the client's heap each");

  /** How often one of its threads has to wait. */
  public static final Metric SLEEPS_EACH = lower("sleeps of the client's threads each");

  /** Two holders at once, or a token that did not rise. */
  public static final Metric VIOLATIONS = lower("violations");

  /** From the start of the release to the moment the next has the lock. */
  public static final Metric HAND_OFF = lower("ms from release to the next holder, p50");

  /** Beside a rate. */
  public static final Metric REQUESTS_EACH = lower("requests per acquisition");

  /** The same where there are many without a request. */
  public static final Metric PER_REQUEST = higher("acquisitions per request");

  /** How evenly clients get their turns, whatever their number of threads. */
  public static final Metric CLIENT_SPREAD = lower("most / fewest turns of a client");

  /** How many leases a client could take. */
  public static final Metric TAKEN = higher("leases taken");

  /** How long that took. */
  public static final Metric TAKING = lower("s to take them");

  /** Threads of the client beyond those it had without a lease. */
  public static final Metric THREADS = lower("more threads");

  /** What a lease costs in memory. */
  public static final Metric HEAP = lower("bytes of heap per lease");

  /** What holding leases costs the server while nothing happens. */
  public static final Metric RENEWING = lower("requests/s");

  /** What it costs the client. */
  public static final Metric PROCESSOR = lower("ms of CPU per s");

  /** The same, right after many other locks were taken and released. */
  public static final Metric RENEWING_LATER = lower("requests/s after churn");

  /** The same. */
  public static final Metric PROCESSOR_LATER = lower("ms of CPU per s after churn");

  /** Higher is better. */
  static Metric higher(String words) {
    return new Metric(words, Better.HIGHER);
  }

  /** Lower is better. */
  static Metric lower(String words) {
    return new Metric(words, Better.LOWER);
  }

  /** Requests of each client while this many wait in this many clients and nothing moves. */
  public static Metric idle(int waiting, int clients) {
    return lower("requests/s of each client, " + waiting + " waiting in " + clients);
  }

  /** Requests at the server for each turn that goes to another client, while this many wait. */
  public static Metric perTurn(int waiting) {
    return lower("requests per turn between clients, " + waiting + " waiting");
  }

  /** How often the lock was acquired until another client had its turn. */
  public static Metric acquisitionsPerTurn(int waiting) {
    return lower("acquisitions per turn between clients, " + waiting + " waiting");
  }

  /** How often the client with this many threads had the lock. */
  public static Metric turnsOf(int threads) {
    return higher("turns/s of the client with " + threads + threadsOf(threads));
  }

  /** The longest that one of its threads waited. */
  public static Metric longestWaitOf(int threads) {
    return lower("longest wait in ms, client with " + threads + threadsOf(threads));
  }

  private static String threadsOf(int threads) {
    return threads == 1 ? " thread" : " threads";
  }

  /** The cost to a client of each of this many waiting threads or futures. */
  public static Metric perWaiter(int waiting) {
    return lower("µs per waiter, " + waiting + " waiting");
  }

  /** Returns whether it is one of {@link #perTurn}. */
  public boolean isRequestsPerTurn() {
    return words.startsWith("requests per turn between clients");
  }

  /** Returns whether the first is better than the second. */
  public boolean isBetter(double first, double second) {
    return better == Better.HIGHER ? first > second : first < second;
  }
}
