package dev.holdfast.foreign.shedlock;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.foreign.Clients;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** {@code lockAtMostFor} is maxHold, {@code lockAtLeastFor} is minHold. Thread-safe. */
final class Provider implements ExtensibleLockProvider {

  @Override
  public Optional<SimpleLock> lock(LockConfiguration wanted) {
    Clients clients = Clients.current();
    Duration shortest = clients.mine().traits().minTtl();
    Duration ttl = shorter(LockOptions.defaults().ttl(), wanted.getLockAtMostFor());
    LockOptions options =
        LockOptions.defaults()
            .reentrant(false)
            .ttl(longer(shortest, ttl))
            .maxHold(longer(shortest, wanted.getLockAtMostFor()))
            .minHold(wanted.getLockAtLeastFor());
    try {
      Lease lease = clients.mine().lock(clients.name(wanted.getName()), options).tryAcquire();
      return Optional.ofNullable(lease).map(held -> new Held(wanted, held));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static final class Held extends AbstractSimpleLock {
    private final Lease lease;

    Held(LockConfiguration wanted, Lease lease) {
      super(wanted);
      this.lease = lease;
    }

    @Override
    protected void doUnlock() {
      lease.close();
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration wanted) {
      Duration atLeast = wanted.getLockAtLeastFor();
      try {
        lease.extend(wanted.getLockAtMostFor(), atLeast);
        return Optional.of(new Held(wanted, lease));
      } catch (LeaseLostException e) {
        return Optional.empty();
      }
    }
  }
}
