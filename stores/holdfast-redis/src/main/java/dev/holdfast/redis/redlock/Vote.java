package dev.holdfast.redis.redlock;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one node says about one lock.
 *
 * @param node its number
 */
record Vote(int node, Reply reply) {

  private static final int ORDER_DIGITS = 16;

  /**
   * @param order rises with each change: a node may have missed the last one
   * @return the claim's value as nodes store it
   */
  static String value(Claim claim, long order) {
    return "%016d".formatted(order) + (claim.value() == null ? "" : " " + claim.value());
  }

  /** {@return the largest group of votes for the same holder; empty if there are none} */
  static List<Vote> mostCommon(List<Vote> votes) {
    return votes.stream().collect(Collectors.groupingBy(Vote::holder)).values().stream()
        .max(Comparator.comparing(List::size))
        .orElse(List.of());
  }

  String word() {
    return reply.word();
  }

  /** {@return the counter of a node where the lock is ours} */
  long counter() {
    return reply.number(1);
  }

  /** {@return the claim's token on this node, 0 before the second phase} */
  long token() {
    return reply.number(2);
  }

  /** {@return the holder on this node: the same text for the same claim, and no secret} */
  String holder() {
    return reply.text(1);
  }

  Owner owner() {
    return Owner.parse(reply.text(2));
  }

  Kind heldAs() {
    return Kind.valueOf(reply.text(3));
  }

  /** {@return of a resting node: in which life of the server it rests} */
  String incarnation() {
    return reply.text(1);
  }

  /** {@return of a resting node: for how long so far} */
  Duration rested() {
    return reply.micros(2);
  }

  /** {@return of a node that remembers} */
  Duration longestTtl() {
    return Duration.ofMillis(reply.number(2));
  }

  /** {@return of a node that remembers: a text that no other server has} */
  String life() {
    return reply.text(3);
  }

  /** {@return of a node that remembers: whether its operator vouched for it over a restart} */
  boolean isKept() {
    return reply.text(4).equals("kept");
  }

  /** {@return of an inspection} */
  Kind kind() {
    return Kind.valueOf(reply.text(2));
  }

  /** {@return of an inspection: the latest value has the greatest} */
  long order() {
    return Long.parseLong(reply.text(7).substring(0, ORDER_DIGITS));
  }

  /** {@return of an inspection} */
  ClaimInfo info() {
    String value = reply.text(7).substring(ORDER_DIGITS);
    return new ClaimInfo(
        Owner.parse(reply.text(3)),
        kind().mode(1),
        1,
        reply.number(4),
        reply.number(8),
        reply.micros(5),
        reply.micros(6),
        value.isEmpty() ? null : value.substring(1));
  }
}
