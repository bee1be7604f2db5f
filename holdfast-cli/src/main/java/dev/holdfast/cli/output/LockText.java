package dev.holdfast.cli.output;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;

/** Describes locks and their claims in words. */
public final class LockText {

  private LockText() {}

  /** The first holder: {@code held by report.sh (host web-3, pid 4121) for 31 s}. */
  public static String holders(LockInfo lock) {
    if (!lock.isHeld()) {
      return lock.waiters().isEmpty() ? "free by now" : "about to go to the next in line";
    }
    ClaimInfo first = lock.holders().get(0);
    int others = lock.holders().size() - 1;
    return (first.keepable() ? "held or kept by " : "held by ")
        + first.owner().describe()
        + " for "
        + Durations.format(first.age())
        + (others == 0 ? "" : " and " + others + " more");
  }

  /** The owner and its role: {@code report.sh (host web-3, pid 4121), 2 permits}. */
  public static String claim(ClaimInfo claim) {
    String role = role(claim);
    return claim.owner().describe() + (role.isEmpty() ? "" : ", " + role);
  }

  /** What the lock is used as; empty for a plain lock. */
  public static String kind(LockInfo lock) {
    return switch (lock.kind()) {
      case MUTEX -> "";
      case READ_WRITE -> "READ-WRITE";
      case SEMAPHORE -> "SEMAPHORE OF " + lock.capacity();
      case ELECTION -> "ELECTION";
    };
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
}
