package dev.holdfast.etcd;

import dev.holdfast.etcd.LeaseClass.Armed;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases of a client: one for each ttl, in whole seconds. Thread-safe.
 *
 * <p>A lease lasts for a second more than its claims ask for. So a claim that joins or is renewed
 * within a second after a keep-alive was sent has its whole ttl without another one.
 */
final class Leases {

  static final Duration SPARE = Duration.ofSeconds(1);

  private final Calls calls;
  private final Keys keys;
  private final Roll roll;
  private final Ticker ticker;
  private final ConcurrentHashMap<Long, LeaseClass> classes = new ConcurrentHashMap<>();

  Leases(Calls calls, Keys keys, Roll roll, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.roll = roll;
    this.ticker = ticker;
  }

  LeaseClass of(Duration ttl) {
    long seconds = withSpare(ttl);
    LeaseClass known = classes.get(seconds);
    if (known != null) {
      return known;
    }
    // Those that nobody uses any more; were one taken up again just now, it would do no harm: there
    // would be two leases for that ttl for a while.
    classes.values().removeIf(LeaseClass::isIdle);
    return classes.computeIfAbsent(
        seconds, wanted -> new LeaseClass(wanted, calls, keys, roll, ticker));
  }

  /** The leases for these ttls, renewed, as far as they are in use. */
  CompletableFuture<List<Armed>> armIfKept(Set<Duration> ttls, Deadline deadline) {
    CompletableFuture<List<Armed>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (Duration ttl : ttls) {
      all =
          all.thenCombine(
              armIfKept(ttl, deadline),
              (list, armed) -> {
                list.add(armed);
                return list;
              });
    }
    return all;
  }

  /** The lease for this ttl, renewed, if there is one that is in use; or none. */
  CompletableFuture<Armed> armIfKept(Duration ttl, Deadline deadline) {
    LeaseClass known = classes.get(withSpare(ttl));
    return known == null || known.isIdle()
        ? CompletableFuture.completedFuture(Armed.NONE)
        : known.arm(deadline);
  }

  /** A lease that is never renewed, for what has to last so long and no longer. */
  CompletableFuture<Long> single(Duration time, Deadline deadline) {
    return calls.grant(seconds(time), deadline).thenApply(granted -> granted.getID());
  }

  /** How many seconds a lease lasts that claims of this ttl are on. */
  static long withSpare(Duration ttl) {
    return seconds(ttl.plus(SPARE));
  }

  /** Rounded up. */
  static long seconds(Duration ttl) {
    return ttl.plusNanos(999_999_999).toSeconds();
  }
}
