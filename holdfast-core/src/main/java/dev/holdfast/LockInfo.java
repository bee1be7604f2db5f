package dev.holdfast;

import java.util.List;

/**
 * A lock as its store sees it at one moment; out of date as soon as it is read.
 *
 * @param name the lock's name; one in a store that is longer than a name may be ends with an
 *     ellipsis. Escape it before you show it
 * @param kind what it is used as; MUTEX when nobody uses it
 * @param capacity what the granted weights add up to at most
 * @param holders the granted claims in queue order; empty when the lock is free
 * @param waiters the claims that wait, in queue order where the store is fair
 */
public record LockInfo(
    String name, Kind kind, int capacity, List<ClaimInfo> holders, List<ClaimInfo> waiters) {

  /** Copies the lists, and shortens a name that is too long: others wrote it. */
  public LockInfo {
    name = PrintableText.shorten(name, LockName.MAX_LENGTH);
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /** A lock that nobody holds or waits for. */
  public static LockInfo free(String name) {
    return new LockInfo(name, Kind.MUTEX, 1, List.of(), List.of());
  }

  /** {@return whether anybody holds it} */
  public boolean isHeld() {
    return !holders.isEmpty();
  }

  /** With the name escaped. */
  @Override
  public String toString() {
    return "LockInfo["
        + PrintableText.quote(name)
        + ", "
        + kind
        + ", capacity "
        + capacity
        + ", holders "
        + holders
        + ", waiters "
        + waiters
        + "]";
  }
}
