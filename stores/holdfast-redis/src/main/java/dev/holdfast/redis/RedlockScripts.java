package dev.holdfast.redis;

/**
 * What is asked of a node.
 *
 * <p>The first phase must not be sent again by the client: the second run could take the lock anew
 * after it was lost, and the counter that the first run told would be out of date.
 */
final class RedlockScripts {

  static final Script JOIN = Script.of(false, "redlock", "redlock-record", "redlock-join");
  static final Script ADVANCE = of(true, "redlock-advance");
  static final Script REFRESH = of(false, "redlock-refresh");
  static final Script LEAVE = of(false, "redlock-leave");
  static final Script EVICT = Script.of(false, "redlock", "redlock-record", "redlock-evict");
  static final Script INSPECT = Script.of(true, "redlock", "redlock-record", "redlock-inspect");
  static final Script DISCARD = Script.of(false, "redlock", "redlock-record", "redlock-discard");
  static final Script NODE = of(true, "redlock-node");
  static final Script INSTALL = of(true, "redlock-install");

  private RedlockScripts() {}

  private static Script of(boolean repeatable, String verb) {
    return Script.of(repeatable, "redlock", verb);
  }
}
