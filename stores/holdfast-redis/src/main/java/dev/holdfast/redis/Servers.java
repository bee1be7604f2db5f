package dev.holdfast.redis;

import dev.holdfast.Finding;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/** Where connections come from: one server, a set behind Sentinel, or a Cluster. Any threads. */
interface Servers {

  /** A connection for commands. */
  CompletionStage<Link> connect(Calls calls);

  /** A connection for one subscription, which it takes up again whenever it reconnects. */
  CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen();

  /** How the connections are protected. */
  Finding encryption();

  /** Gives back what was made for these connections; a client of the caller's stays open. */
  void close();
}
