package dev.holdfast.bench.contender;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.bench.contender.Contender.Role;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

/** Holdfast itself. */
public record HoldfastClient(Holdfast locks) implements Client {

  /** Longer than by default: a machine that measures may be too busy to answer in time. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** As a user has it who sets nothing. */
  public static final Contender BY_DEFAULT =
      contender("Holdfast", Role.HOLDFAST, LockOptions.defaults());

  /** Every acquisition asks the store: nothing is handed off, and no claim is kept. */
  public static final Contender WITHOUT_HAND_OFF =
      contender("Holdfast, no hand-off", Role.ASKING, LockOptions.defaults().handOff(false));

  /** For a client that wants throughput, at the price of longer waits for all others. */
  public static final Contender WITH_SLICE =
      contender(
          "Holdfast, slice of 100 ms",
          Role.SLICED,
          LockOptions.defaults().handOff(Duration.ofMillis(100)));

  /** All of them. */
  public static final List<Contender> ALL = List.of(BY_DEFAULT, WITHOUT_HAND_OFF, WITH_SLICE);

  private static Contender contender(String label, Role role, LockOptions options) {
    return new Contender(label, role, EnumSet.allOf(Feature.class), url -> open(url, options));
  }

  private static Client open(String url, LockOptions options) {
    return new HoldfastClient(
        Holdfast.builder().store(url).defaults(options).operationTimeout(PATIENCE).build());
  }

  @Override
  public Mutex mutex(String name) {
    return mutexOf(locks.lock(name));
  }

  @Override
  public Mutex readLock(String name) {
    return mutexOf(locks.readWriteLock(name).readLock());
  }

  @Override
  public Mutex writeLock(String name) {
    return mutexOf(locks.readWriteLock(name).writeLock());
  }

  @Override
  public void close() {
    locks.close();
  }

  private static Mutex mutexOf(DistributedLock lock) {
    return () -> new Leased(lock.acquire());
  }

  private record Leased(Lease lease) implements Mutex.Hold {

    @Override
    public void release() {
      lease.close();
    }

    @Override
    public long token() {
      return lease.token();
    }
  }
}
