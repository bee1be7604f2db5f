package dev.holdfast.cli;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;

/** Says in which role somebody holds a lock or waits for it; of a plain lock there is but one. */
final class Roles {

  private Roles() {}

  /** Who it is, and in which role: {@code report.sh (host web-3, pid 4121), 2 permits}. */
  static String describe(ClaimInfo claim) {
    String role = role(claim);
    return claim.owner().describe() + (role.isEmpty() ? "" : ", " + role);
  }

  private static String role(ClaimInfo claim) {
    String value = claim.value();
    return switch (claim.mode()) {
      case SHARED -> "reading";
      case PERMIT -> claim.weight() == 1 ? "1 permit" : claim.weight() + " permits";
      case EXCLUSIVE -> {
        if (claim.weight() == Kind.UNBOUNDED) {
          yield "writing";
        }
        yield value == null || value.isEmpty() ? "" : "value '" + value + "'";
      }
    };
  }

  /** What the lock is used as; nothing for a plain one. */
  static String kind(LockInfo lock) {
    return switch (lock.kind()) {
      case MUTEX -> "";
      case READ_WRITE -> "READ-WRITE";
      case SEMAPHORE -> "SEMAPHORE OF " + lock.capacity();
      case ELECTION -> "ELECTION";
    };
  }
}
