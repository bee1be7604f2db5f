package dev.holdfast.cli;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.StoreException;
import dev.holdfast.spi.LockName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is to be taken: a lock, one side of a read-write lock, permits, several locks, or the lead.
 *
 * @param names the names, in the order in which they are taken
 * @param asking asks for it, waiting so long: null without limit, zero not at all
 * @param holding what was granted, as what a command runs under
 * @param <T> the lease that is granted
 */
record Wanted<T>(
    List<String> names,
    Function<@Nullable Duration, CompletableFuture<? extends @Nullable T>> asking,
    Function<T, Held> holding) {

  /** A lock. */
  static Wanted<Lease> lock(DistributedLock lock) {
    return new Wanted<>(
        List.of(lock.name()),
        wait -> {
          if (wait == null) {
            return lock.acquireAsync();
          }
          return wait.isZero() ? lock.tryAcquireAsync() : lock.tryAcquireAsync(wait);
        },
        Held::of);
  }

  /** What the options of {@code run} say. */
  static Wanted<?> of(Arguments arguments, Holdfast locks, LockOptions options) {
    String all = arguments.value("--all");
    String permits = arguments.value("--permits");
    String of = arguments.value("--of");
    boolean shared = arguments.has("--shared");
    boolean exclusive = arguments.has("--exclusive");
    boolean counted = permits != null || of != null;
    if ((all == null ? 0 : 1) + (counted ? 1 : 0) + (shared ? 1 : 0) + (exclusive ? 1 : 0) > 1) {
      throw CliException.usage(
          "--all, --shared, --exclusive and --permits with --of exclude each other; give one");
    }
    if (all != null) {
      return all(arguments, all, locks, options);
    }
    String name = LockName.check(arguments.operand());
    if (counted) {
      return permits(locks, name, permits, of, options);
    }
    if (shared) {
      return lock(locks.readWriteLock(name, options).readLock());
    }
    if (exclusive) {
      return lock(locks.readWriteLock(name, options).writeLock());
    }
    return lock(locks.lock(name, options));
  }

  private static Wanted<MultiLease> all(
      Arguments arguments, String all, Holdfast locks, LockOptions options) {
    if (!arguments.operand().isEmpty()) {
      throw CliException.usage(
          "--all has the names already; leave out '" + arguments.operand() + "', or add it there");
    }
    List<String> names = List.of(all.split(",", -1)).stream().sorted().distinct().toList();
    MultiLock lock = locks.lockAll(names, options);
    return new Wanted<>(
        names,
        wait -> {
          if (wait == null) {
            return lock.acquireAsync();
          }
          return wait.isZero() ? lock.tryAcquireAsync() : lock.tryAcquireAsync(wait);
        },
        Held::of);
  }

  private static Wanted<Lease> permits(
      Holdfast locks,
      String name,
      @Nullable String permits,
      @Nullable String of,
      LockOptions options) {
    if (of == null) {
      throw CliException.usage("--permits needs --of: how many permits there are altogether");
    }
    DistributedSemaphore semaphore = locks.semaphore(name, number("--of", of), options);
    int wanted = permits == null ? 1 : number("--permits", permits);
    if (wanted > semaphore.permits()) {
      throw CliException.usage(
          "--permits " + wanted + " can never be had: there are " + semaphore.permits());
    }
    return new Wanted<>(
        List.of(name),
        wait -> {
          if (wait == null) {
            return semaphore.acquireAsync(wanted);
          }
          return wait.isZero()
              ? semaphore.tryAcquireAsync(wanted)
              : semaphore.tryAcquireAsync(wanted, wait);
        },
        Held::of);
  }

  private static int number(String option, String text) {
    try {
      int number = Integer.parseInt(text);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw CliException.usage(option + " '" + text + "' is not a number of permits; give 1 or more");
  }

  /** The names, for messages. */
  String describe() {
    return "'" + String.join("', '", names) + "'";
  }

  /** Who has what we want; of several locks, the first that is not ours already. */
  String holders(Holdfast locks) {
    if (names.size() == 1) {
      return Holders.ask(locks, names.get(0));
    }
    long self = ProcessHandle.current().pid();
    try {
      for (String name : names) {
        LockInfo lock = locks.inspect(name);
        if (lock.isHeld() && lock.holders().get(0).owner().pid() != self) {
          return "'" + name + "' is " + Holders.describe(lock);
        }
      }
      return "free by now";
    } catch (StoreException e) {
      return "held by somebody the store did not name in time";
    }
  }
}
