package dev.holdfast.bench.contender;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Holdfast itself. */
public record HoldfastContender(String label, Role role, LockOptions options) implements Contender {

  /** Longer than by default: a machine that measures may be too busy to answer in time. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** As a user has it who sets nothing. */
  public static HoldfastContender byDefault() {
    return new HoldfastContender("Holdfast", Role.HOLDFAST, LockOptions.defaults());
  }

  /** Every acquisition asks the store. */
  public static HoldfastContender withoutHandOff() {
    return new HoldfastContender(
        "Holdfast, handOff(false)", Role.VARIANT, LockOptions.defaults().handOff(false));
  }

  @Override
  public Set<Feature> features() {
    return EnumSet.allOf(Feature.class);
  }

  @Override
  public Client open(String url) {
    Holdfast locks =
        Holdfast.builder().store(url).defaults(options).operationTimeout(PATIENCE).build();
    return new Client() {
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
    };
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
