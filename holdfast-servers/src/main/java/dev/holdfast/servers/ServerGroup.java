package dev.holdfast.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Servers that a test has started together; closed together.
 *
 * <p><b>Threads.</b> One at a time.
 */
public abstract class ServerGroup<N extends ServerNode> implements AutoCloseable {

  private final List<N> nodes;

  ServerGroup(List<N> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /** All of them, in the order in which they were started. */
  public final List<N> nodes() {
    return nodes;
  }

  /** Restarts all at once. */
  public final void restartAll() {
    restart(nodes);
  }

  /**
   * Restarts these at once: those that only serve with a quorum would wait for each other if it
   * were done one by one.
   */
  public final void restart(List<N> some) {
    some.forEach(ServerNode::kill);
    together(
        some.stream()
            .map(
                node ->
                    (Callable<N>)
                        () -> {
                          node.restart();
                          return node;
                        })
            .toList());
  }

  /** Ends all and removes their data. */
  @Override
  public final void close() {
    nodes.forEach(ServerNode::close);
  }

  /** The addresses of these, with commas between. */
  static String addresses(List<? extends ServerNode> nodes) {
    return nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
  }

  /** Starts several servers at once; those that did start end if another does not. */
  static <N extends ServerNode> List<N> together(List<Callable<N>> starts) {
    ExecutorService threads = Executors.newFixedThreadPool(starts.size());
    List<N> started = new ArrayList<>();
    try {
      List<Future<N>> all = threads.invokeAll(starts);
      for (Future<N> one : all) {
        started.add(one.get());
      }
      return started;
    } catch (ExecutionException e) {
      started.forEach(ServerNode::close);
      throw new IllegalStateException("not all servers have started", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while starting servers", e);
    } finally {
      threads.shutdown();
    }
  }
}
