package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Deletes the client's own claims that were not renewed in time. Their lease does not end them: it
 * lives on for other claims. Thread-safe.
 */
public final class Audit {

  private static final long INTERVAL = Duration.ofSeconds(1).toNanos();
  private static final int LIMIT = 32;

  private final KeyCalls<?> calls;
  private final RecordFormat format;
  private final LeaseClasses<?> leases;
  private final ClaimRegistry registry;
  private final Ticker ticker;
  private final AtomicLong next;

  /**
   * @param leases a claim on another one was taken over by another process, and is spared
   */
  public Audit(
      KeyCalls<?> calls,
      RecordFormat format,
      LeaseClasses<?> leases,
      ClaimRegistry registry,
      Ticker ticker) {
    this.calls = calls;
    this.format = format;
    this.leases = leases;
    this.registry = registry;
    this.ticker = ticker;
    this.next = new AtomicLong(ticker.nanoTime() + INTERVAL);
  }

  /** Looks for such claims, unless it did so just now; called with every renewal. */
  public void run() {
    long due = next.get();
    long now = ticker.nanoTime();
    if (now - due >= 0 && next.compareAndSet(due, now + INTERVAL)) {
      registry.overdue(LIMIT).forEach(this::end);
    }
  }

  private void end(ClaimKey claim) {
    AtomicBoolean expired = new AtomicBoolean();
    var unused =
        calls
            .removeIf(
                claim.lock(),
                stored -> {
                  boolean ends = isOwn(claim, stored) && registry.expire(claim);
                  expired.compareAndSet(false, ends);
                  return ends;
                },
                calls.deadline())
            .thenAccept(
                removed -> {
                  if (removed) {
                    registry.gone(claim);
                  } else if (!expired.get()) {
                    registry.forgetOverdue(claim);
                  }
                });
  }

  private boolean isOwn(ClaimKey claim, StoredKey stored) {
    return leases.current().stream().anyMatch(lease -> lease.id().equals(stored.lease()))
        && format.isReadable(stored)
        && format.parse(stored).id().equals(claim.id());
  }
}
