package dev.holdfast.foreign;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.Objects;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * What a lock protects, for Lincheck: a plain counter and the token of its last holder. Two holders
 * at a time, or a token that does not rise, give results that no order of the operations explains.
 * Time is driven by hand and stands still, so that no thread but Lincheck's takes part.
 */
public class LincheckLock {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final Holdfast locks =
      Holdfast.builder()
          .store(new MemoryLockStore(new MemorySpace(), new ManualTicker()))
          .ticker(new ManualTicker())
          .build();

  // Mutable state
  private int counter;
  private long lastToken;

  /** The blocking API. */
  @Operation
  public int countWithoutLimit() throws InterruptedException {
    try (Lease lease = locks.lock("lock").acquire()) {
      return count(lease);
    }
  }

  /** The timed API; nobody holds the lock that long. */
  @Operation
  public int countWithinTheLimit() throws InterruptedException {
    try (Lease lease = locks.lock("lock").tryAcquire(LONG)) {
      return count(Objects.requireNonNull(lease));
    }
  }

  /** Re-entry. */
  @Operation
  public int countTwice() throws InterruptedException {
    try (Lease outer = locks.lock("lock").acquire(LONG);
        Lease inner = locks.lock("lock").acquire()) {
      if (outer.token() != inner.token()) {
        throw new AssertionError("re-entry has another token");
      }
      count(outer);
      counter++;
      return counter;
    }
  }

  private int count(Lease lease) {
    if (lease.token() <= lastToken) {
      throw new AssertionError("token " + lease.token() + " after " + lastToken);
    }
    lastToken = lease.token();
    counter++;
    return counter;
  }
}
