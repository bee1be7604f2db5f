package dev.holdfast.bench.store;

/**
 * Counts requests in what a client sends. One for each connection; fed in pieces as they come.
 *
 * <p>A request is what the server is asked to do and answers: a Redis command, a statement, a
 * ZooKeeper operation, a gRPC message. Several that are sent together count as several.
 */
public interface Framing {

  /** A counter for a new connection. */
  Counter counter();

  /** The state of one connection. Not thread-safe. */
  interface Counter {

    /** How many requests end in this byte, after all those before it: none or one. */
    boolean endsRequest(byte next);
  }
}
