package dev.holdfast.spi.support;

import dev.holdfast.PrintableText;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The servers of a cluster, by their numbers. All requests go to one of them as long as it answers.
 * Thread-safe.
 */
public class Members {

  private static final System.Logger LOG = System.getLogger(Members.class.getName());
  private static final long SHORTEST_ATTEMPT = Duration.ofMillis(200).toNanos();

  private final String kind;
  private final List<String> addresses;
  final AtomicInteger current = new AtomicInteger(); // for each request: read without a call
  final Set<Integer> silent = ConcurrentHashMap.newKeySet();

  // Mutable state
  private volatile Runnable onChange = () -> {};
  private volatile boolean closed;

  /**
   * @param kind what they are, for messages
   */
  public Members(String kind, List<String> addresses) {
    this.kind = kind;
    this.addresses = List.copyOf(addresses);
  }

  /** Their addresses, by their numbers. */
  public final List<String> addresses() {
    return addresses;
  }

  /** What it is, and its address, for messages. */
  public final String name(int number) {
    return kind + " at " + addresses.get(number);
  }

  /** How many there are. */
  public final int size() {
    return addresses.size();
  }

  /** The number of the member that is asked now. */
  public final int current() {
    return current.get();
  }

  /** How much of this time one member may take, so that the others get their turn. */
  public final long shareNanos(Duration time) {
    return Math.max(SHORTEST_ATTEMPT, time.toNanos() / size());
  }

  /** Runs this action when another member is asked from now on. */
  public final void onChange(Runnable action) {
    onChange = action;
  }

  /** This member has answered. */
  public final void answered(int number) {
    silent.remove(number);
  }

  /** This member did not answer: the next one is asked from now on. */
  public final void failed(int number, String why) {
    int next = (number + 1) % size();
    if (next == number || closed) {
      return;
    }
    if (silent.add(number)) {
      LOG.log(
          Level.WARNING,
          PrintableText.message(
              name(number) + " does not answer (" + why + "); asking " + addresses.get(next)));
    }
    if (current.compareAndSet(number, next)) {
      onChange.run();
    }
  }

  /** Called before a request waits a moment because no member has answered. */
  protected void pausing(Ticker ticker) {}

  /**
   * @return true once the store is closed
   */
  public final boolean isClosed() {
    return closed;
  }

  /** No silence is reported, and no request repeated, from now on. */
  public void close() {
    closed = true;
  }
}
