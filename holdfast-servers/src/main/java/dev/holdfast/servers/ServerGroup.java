package dev.holdfast.servers;

import java.util.List;

/** Servers that a test has started together; closed together. */
abstract class ServerGroup<N extends ServerNode> implements AutoCloseable {

  private final List<N> nodes;

  ServerGroup(List<N> nodes) {
    this.nodes = nodes;
  }

  /** All of them, in the order in which they were started. */
  public final List<N> nodes() {
    return nodes;
  }

  /** Ends all and removes their data. */
  @Override
  public final void close() {
    nodes.forEach(ServerNode::close);
  }
}
