package dev.holdfast.redis;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import java.time.Duration;

/**
 * What one node says about one lock.
 *
 * @param node which one
 * @param reply its answer
 */
record RedlockVote(int node, Reply reply) {

  private static final int ORDER_DIGITS = 16;

  /** A claim's value as nodes keep it: a node may have missed the last change of it. */
  static String value(Claim claim, long order) {
    return "%016d".formatted(order) + (claim.value() == null ? "" : " " + claim.value());
  }

  String word() {
    return reply.word();
  }

  /** Whether it remembers; one that has forgotten all, or knows another format, has no vote. */
  boolean counts() {
    return !word().equals("resting") && !word().equals("error");
  }

  /** The counter of a node whose lock is ours. */
  long counter() {
    return Long.parseLong(text(1));
  }

  /** The claim's token as the node has it, 0 before the second phase. */
  long token() {
    return Long.parseLong(text(2));
  }

  /** Who has the lock on this node: the same text for the same claim, and no secret. */
  String who() {
    return text(1);
  }

  Owner owner() {
    return Owner.parse(text(2));
  }

  Kind heldAs() {
    return Kind.valueOf(text(3));
  }

  /** Of a node that rests: which of its lives this is. */
  String incarnation() {
    return text(1);
  }

  /** Of a node that rests: since when. */
  Duration rested() {
    return micros(text(2));
  }

  /** Of a node that remembers. */
  Duration longestTtl() {
    return Duration.ofMillis(Long.parseLong(text(2)));
  }

  /** Of a node that remembers: a text that no other server has. */
  String life() {
    return text(3);
  }

  /** Of a node that remembers: whether its operator said that it does so over a restart. */
  boolean isKept() {
    return text(4).equals("kept");
  }

  /** Whether the error is about what the node has of the lock, not about the node. */
  boolean isUnreadable() {
    return error().contains("RECORD")
        || error().contains("WRONGTYPE")
        || error().contains("attempt to ");
  }

  /** Why the node's record cannot be read. */
  String error() {
    return reply.error();
  }

  /** Of an inspection. */
  Kind kind() {
    return Kind.valueOf(text(2));
  }

  /** Of an inspection: which of several values is the latest. */
  long order() {
    return Long.parseLong(text(7).substring(0, ORDER_DIGITS));
  }

  /** Of an inspection. */
  ClaimInfo info() {
    String value = text(7).substring(ORDER_DIGITS);
    return new ClaimInfo(
        Owner.parse(text(3)),
        kind().mode(1),
        1,
        Long.parseLong(text(4)),
        Long.parseLong(text(8)),
        micros(text(5)),
        micros(text(6)),
        value.isEmpty() ? null : value.substring(1));
  }

  private String text(int index) {
    return (String) reply.parts().get(index);
  }

  private static Duration micros(String text) {
    return Duration.ofNanos(Long.parseLong(text) * 1_000);
  }
}
