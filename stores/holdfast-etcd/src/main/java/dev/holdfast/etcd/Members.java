package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.PrintableText;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The members of a cluster. All requests go to one of them as long as it answers: gRPC's own
 * balancing would keep to a member that is reachable but cut off from the others.
 *
 * <p><b>Threads.</b> Any.
 */
final class Members {

  private static final System.Logger LOG = System.getLogger(Members.class.getName());
  private static final long SHORTEST_ATTEMPT = TimeUnit.MILLISECONDS.toNanos(200);

  private final List<Channel> channels;
  private final boolean ours;
  private final AtomicInteger current = new AtomicInteger();
  private final Set<Integer> silent = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean reconnecting = new AtomicBoolean();

  // Mutable state
  private volatile Runnable onChange = () -> {};
  private volatile boolean closed;

  /**
   * Some members.
   *
   * @param ours whether to close the connections in the end
   */
  Members(List<? extends Channel> channels, boolean ours) {
    this.channels = List.copyOf(channels);
    this.ours = ours;
  }

  /** Whether they were made of the URL, and not by the caller. */
  boolean areOurs() {
    return ours;
  }

  int size() {
    return channels.size();
  }

  /** The number of the member to ask now. */
  int current() {
    return current.get();
  }

  Channel channel(int number) {
    return channels.get(number);
  }

  /** Host and port. */
  String name(int number) {
    return String.valueOf(channel(number).authority());
  }

  /** How much of this time one may take, so that the others have their chance. */
  long shareNanos(Duration time) {
    return Math.max(SHORTEST_ATTEMPT, time.toNanos() / size());
  }

  void onChange(Runnable action) {
    onChange = action;
  }

  void answered(int number) {
    if (!silent.isEmpty()) {
      silent.remove(number);
    }
  }

  /** This one did not answer: the next one is asked from now on. */
  void failed(int number, String why) {
    int next = (number + 1) % size();
    if (next == number || closed) {
      return;
    }
    if (silent.add(number)) {
      LOG.log(
          Level.WARNING,
          PrintableText.message(
              "etcd at " + name(number) + " does not answer (" + why + "); asking " + name(next)));
    }
    if (current.compareAndSet(number, next)) {
      onChange.run();
    }
  }

  /**
   * Connects to those that were away, then: gRPC would wait longer from time to time. However many
   * requests fail: one attempt to connect for all of them.
   */
  void reconnectIn(Duration rest, Ticker ticker) {
    if (reconnecting.compareAndSet(false, true)) {
      var unused =
          ticker.schedule(
              rest,
              () -> {
                reconnecting.set(false);
                reconnect();
              });
    }
  }

  private void reconnect() {
    if (ours && !closed) {
      channels.forEach(channel -> ((ManagedChannel) channel).resetConnectBackoff());
    }
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
    if (ours) {
      channels.forEach(channel -> ((ManagedChannel) channel).shutdownNow());
    }
  }
}
