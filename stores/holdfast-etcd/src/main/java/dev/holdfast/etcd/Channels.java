package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Members;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The connections to the members of a cluster. gRPC's own balancing would stay with a member that
 * is reachable but cut off from the others. Thread-safe.
 */
final class Channels extends Members {

  private static final Duration PAUSE = Duration.ofMillis(50);

  /** True if the connections were made from the URL: they are closed with the store. */
  final boolean ours;

  /** By the numbers of the members. */
  final List<Channel> channels;

  private final AtomicBoolean reconnecting = new AtomicBoolean();

  Channels(List<? extends Channel> channels, boolean ours) {
    super("etcd", channels.stream().map(channel -> String.valueOf(channel.authority())).toList());
    this.channels = List.copyOf(channels);
    this.ours = ours;
  }

  /**
   * Reconnects after the pause: gRPC itself waits longer with each attempt. One attempt serves all
   * requests that fail meanwhile.
   */
  @Override
  protected void pausing(Ticker ticker) {
    if (ours && reconnecting.compareAndSet(false, true)) {
      var unused = ticker.schedule(PAUSE, this::reconnect);
    }
  }

  private void reconnect() {
    reconnecting.set(false);
    if (!isClosed()) {
      channels.forEach(channel -> ((ManagedChannel) channel).resetConnectBackoff());
    }
  }

  @Override
  public void close() {
    super.close();
    if (ours) {
      channels.forEach(channel -> ((ManagedChannel) channel).shutdownNow());
    }
  }
}
