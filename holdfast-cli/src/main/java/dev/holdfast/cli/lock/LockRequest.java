package dev.holdfast.cli.lock;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.LockName;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.StoreException;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.LockText;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a command acquires: a lock, one side of a read-write lock, permits, several locks, or the
 * lead.
 *
 * @param names the names, in the order in which they are acquired
 * @param acquire acquires it; takes how long to wait: null for no limit, zero for a try
 * @param held turns what was granted into the lease that the command runs under
 * @param <T> the lease that is granted
 */
public record LockRequest<T>(
    List<String> names,
    Function<@Nullable Duration, CompletableFuture<? extends @Nullable T>> acquire,
    Function<T, HeldLease> held) {

  /** A lock. */
  public static LockRequest<Lease> lock(DistributedLock lock) {
    return new LockRequest<>(
        List.of(lock.name()),
        wait -> {
          if (wait == null) {
            return lock.acquireAsync();
          }
          return wait.isZero() ? lock.tryAcquireAsync() : lock.tryAcquireAsync(wait);
        },
        HeldLease::of);
  }

  /** What the options of {@code run} say. */
  public static LockRequest<?> of(Arguments arguments, Holdfast locks, LockOptions options) {
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

  private static LockRequest<MultiLease> all(
      Arguments arguments, String all, Holdfast locks, LockOptions options) {
    if (!arguments.operand().isEmpty()) {
      throw CliException.usage(
          "--all already lists the names; leave out '"
              + arguments.operand()
              + "', or add it there");
    }
    List<String> names = List.of(all.split(",", -1)).stream().sorted().distinct().toList();
    MultiLock lock = locks.lockAll(names, options);
    return new LockRequest<>(
        names,
        wait -> {
          if (wait == null) {
            return lock.acquireAsync();
          }
          return wait.isZero() ? lock.tryAcquireAsync() : lock.tryAcquireAsync(wait);
        },
        HeldLease::of);
  }

  private static LockRequest<Lease> permits(
      Holdfast locks,
      String name,
      @Nullable String permits,
      @Nullable String of,
      LockOptions options) {
    if (of == null) {
      throw CliException.usage(
          "--permits needs --of, the number of permits that the semaphore has");
    }
    DistributedSemaphore semaphore = locks.semaphore(name, number("--of", of), options);
    int wanted = permits == null ? 1 : number("--permits", permits);
    if (wanted > semaphore.permits()) {
      throw CliException.usage(
          "--permits " + wanted + " exceeds the number of permits, " + semaphore.permits());
    }
    return new LockRequest<>(
        List.of(name),
        wait -> {
          if (wait == null) {
            return semaphore.acquireAsync(wanted);
          }
          return wait.isZero()
              ? semaphore.tryAcquireAsync(wanted)
              : semaphore.tryAcquireAsync(wanted, wait);
        },
        HeldLease::of);
  }

  private static int number(String option, String text) {
    try {
      int number = Integer.parseInt(text);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw CliException.usage(option + " '" + text + "' is not a number of permits; give 1 or more");
  }

  /** The names, for messages. */
  String describe() {
    return "'" + String.join("', '", names) + "'";
  }

  /**
   * The holder that this request waits for; of several locks, the first that is not ours already.
   */
  String holders(Holdfast locks) {
    long self = ProcessHandle.current().pid();
    try {
      if (names.size() == 1) {
        return LockText.holders(locks.inspect(names.get(0)));
      }
      for (String name : names) {
        LockInfo lock = locks.inspect(name);
        if (lock.isHeld() && lock.holders().get(0).owner().pid() != self) {
          return "'" + name + "' is " + LockText.holders(lock);
        }
      }
      return "free by now";
    } catch (StoreException e) {
      return "the store did not report the holder in time";
    }
  }
}
