package dev.holdfast.torture.nemesis;

import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.ServerNode;
import dev.holdfast.torture.store.FaultKind;
import dev.holdfast.torture.store.Site;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What can be done to servers. Not thread-safe. */
final class ServerFaults {

  private final Site site;
  private final Disk disk;
  private final Duration ttl;

  // Mutable state
  private final Map<ServerNode, Duration> clocks = new HashMap<>();
  private final Map<ServerNode, Duration> highest = new HashMap<>();

  ServerFaults(Site site, Disk disk, Duration ttl) {
    this.site = site;
    this.disk = disk;
    this.ttl = ttl;
  }

  /** The servers that a fault hits; empty if it hits none. */
  List<ServerNode> victims(FaultKind kind, int choice, boolean hasLeader) {
    List<ServerNode> all = List.copyOf(site.nodes());
    return switch (kind) {
      case ALL_PAUSE, ALL_RESTART -> all;
      case LEADER_PAUSE, LEADER_KILL -> List.of(site.leader().get());
      case DISK_FULL -> List.of();
      default -> {
        ServerNode leader = hasLeader ? site.leader().get() : null;
        List<ServerNode> some = all.stream().filter(node -> node != leader).toList();
        yield List.of(some.get(choice % some.size()));
      }
    };
  }

  void begin(FaultKind kind, List<ServerNode> victims, int choice) throws IOException {
    switch (kind) {
      case SERVER_PAUSE, LEADER_PAUSE, ALL_PAUSE -> victims.forEach(ServerNode::pause);
      case SERVER_KILL, LEADER_KILL -> victims.forEach(ServerNode::kill);
      case ALL_RESTART -> {
        victims.forEach(this::setRight);
        site.restart().accept(victims);
      }
      case CLOCK_AHEAD -> shift(victims.get(0), ttl.multipliedBy(1 + choice % 3));
      case CLOCK_BACK -> shift(victims.get(0), ttl.multipliedBy(-1 - choice % 3));
      case DISK_FULL -> disk.fill();
      default -> throw new IllegalArgumentException(kind + " is not for servers");
    }
  }

  void end(FaultKind kind, List<ServerNode> victims) throws IOException {
    switch (kind) {
      case SERVER_PAUSE, LEADER_PAUSE, ALL_PAUSE -> victims.forEach(ServerNode::resume);
      case SERVER_KILL, LEADER_KILL -> {
        victims.forEach(this::setRight);
        site.restart().accept(victims);
      }
      case DISK_FULL -> {
        disk.free();
        // Most end when they cannot write.
        site.restart()
            .accept(
                site.nodes().stream()
                    .filter(node -> !listens(node))
                    .map(ServerNode.class::cast)
                    .toList());
      }
      default -> {
        // A clock stays as it was set.
      }
    }
  }

  private void shift(ServerNode node, Duration by) {
    Duration sum = clocks.getOrDefault(node, Duration.ZERO).plus(by);
    ((RedisServer) node).shiftClock(sum);
    clocks.put(node, sum);
    highest.merge(node, sum, (one, other) -> one.compareTo(other) > 0 ? one : other);
  }

  /**
   * A server that comes back empty makes tokens from its clock, so an operator sets that right
   * before: nobody promises that tokens rise when it is behind.
   */
  private void setRight(ServerNode node) {
    Duration high = highest.getOrDefault(node, Duration.ZERO);
    if (clocks.getOrDefault(node, Duration.ZERO).compareTo(high) < 0) {
      shift(node, high.minus(clocks.get(node)));
    }
  }

  private static boolean listens(ServerNode node) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
