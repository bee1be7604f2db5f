package dev.holdfast.redis.redlock;

import dev.holdfast.redis.script.Script;

/**
 * The scripts that run on each node.
 *
 * <p>The client must not repeat the first phase of a join by itself: the second run could take a
 * lock that was lost in between, with the counter that the first run reported.
 */
final class NodeScripts {

  static final Script JOIN = of("join", false, "node", "record", "join");
  static final Script ADVANCE = of("join", true, "node", "advance");
  static final Script REFRESH = of("renewal", false, "node", "refresh");
  static final Script LEAVE = of("release", false, "node", "leave");
  static final Script EVICT = of("eviction", false, "node", "record", "evict");
  static final Script INSPECT = of("inspection", true, "node", "record", "inspect");
  static final Script DISCARD = of("removal", false, "node", "record", "discard");
  static final Script STATUS = of("status request", true, "node", "status");
  static final Script INSTALL = of("recovery", true, "node", "install");

  private NodeScripts() {}

  private static Script of(String operation, boolean repeatable, String... files) {
    return Script.in("redlock", operation, repeatable, files);
  }
}
