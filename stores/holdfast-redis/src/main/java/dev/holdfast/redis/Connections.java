package dev.holdfast.redis;

import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * What a store has open.
 *
 * @param servers where the connections are from
 * @param link for everything that the others are not for
 * @param grants for joins and renewals; the same, unless replicas are waited for
 * @param listening for the one subscription
 */
record Connections(
    Servers servers,
    Link link,
    ScriptRunner grants,
    StatefulRedisPubSubConnection<String, String> listening) {

  void close() {
    link.close();
    if (grants != link) {
      grants.close();
    }
    var unused = listening.closeAsync();
    servers.close();
  }
}
