package dev.holdfast.etcd;

import io.grpc.ManagedChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The members of a cluster. All requests go to one of them as long as it answers: gRPC's own
 * balancing would keep to a member that is reachable but cut off from the others.
 *
 * <p><b>Threads.</b> Any.
 */
final class Members {

  private final List<ManagedChannel> channels;
  private final boolean ours;
  private final AtomicInteger current = new AtomicInteger();

  // Mutable state
  private volatile Runnable onChange = () -> {};
  private volatile boolean closed;

  /**
   * Some members.
   *
   * @param ours whether to close the connections in the end
   */
  Members(List<ManagedChannel> channels, boolean ours) {
    this.channels = List.copyOf(channels);
    this.ours = ours;
  }

  int size() {
    return channels.size();
  }

  /** The number of the member to ask now. */
  int current() {
    return current.get();
  }

  ManagedChannel channel(int number) {
    return channels.get(number);
  }

  void onChange(Runnable action) {
    onChange = action;
  }

  /** This one did not answer: the next one is asked from now on. */
  void failed(int number) {
    if (current.compareAndSet(number, (number + 1) % channels.size()) && channels.size() > 1) {
      onChange.run();
    }
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
    if (ours) {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }
}
