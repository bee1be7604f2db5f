package dev.holdfast.torture.store;

import dev.holdfast.servers.ServerNode;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The servers of a store, running.
 *
 * @param url for clients that go straight to them
 * @param nodes all of them; empty for a store without servers
 * @param entries those that the URL names: clients may be kept from them by a network
 * @param leader the one that decides, at this moment
 * @param settle waits until all are well again
 * @param restart restarts these at once
 * @param servers ends them
 */
public record Site(
    String url,
    List<? extends ServerNode> nodes,
    List<? extends ServerNode> entries,
    Supplier<ServerNode> leader,
    Runnable settle,
    Consumer<List<ServerNode>> restart,
    AutoCloseable servers)
    implements AutoCloseable {

  /** One server. */
  static Site of(String url, ServerNode node) {
    return new Site(
        url, List.of(node), List.of(node), () -> node, () -> {}, Site::restartEach, node);
  }

  /** No server. */
  static Site of(String url) {
    return new Site(
        url,
        List.of(),
        List.of(),
        () -> {
          throw new IllegalStateException("no servers");
        },
        () -> {},
        nodes -> {},
        () -> {});
  }

  static void restartEach(List<ServerNode> nodes) {
    nodes.forEach(ServerNode::restart);
  }

  @Override
  public void close() throws Exception {
    servers.close();
  }
}
