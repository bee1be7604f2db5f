package dev.holdfast.testkit;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockException;
import dev.holdfast.LockOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program that takes and releases locks without rest, one thread for each, so that it is in the
 * middle of something whenever a test stops it. It prints {@code busy} once it has taken and
 * released each lock, and again for each line that it reads. It ends when its input does.
 *
 * <p>Arguments: the ttl in milliseconds, and the locks' names; the store's URL is in the
 * environment, as for {@link LockTaker}.
 */
public final class BusyTaker {

  private final List<String> names;
  private final Set<String> awaited = ConcurrentHashMap.newKeySet();
  private final AtomicInteger missing = new AtomicInteger();

  private BusyTaker(List<String> names) {
    this.names = names;
  }

  /** Starts it at this store. */
  public static JavaProcess start(String url, Duration ttl, List<String> names) {
    List<String> arguments = new ArrayList<>();
    arguments.add(Long.toString(ttl.toMillis()));
    arguments.addAll(names);
    return JavaProcess.start(
        BusyTaker.class, Map.of(LockTaker.STORE, url), arguments.toArray(String[]::new));
  }

  /** Takes and releases the locks. */
  public static void main(String[] args) {
    LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(Long.parseLong(args[0])));
    BusyTaker taker = new BusyTaker(Arrays.asList(args).subList(1, args.length));
    Holdfast locks =
        Holdfast.builder()
            .store(System.getenv().getOrDefault(LockTaker.STORE, ""))
            .operationTimeout(LockTaker.PATIENCE)
            .build();
    taker.reportNextTurns();
    for (String name : taker.names) {
      DistributedLock lock = locks.lock(name, options);
      Thread worker = new Thread(() -> taker.takeTurns(name, lock), "busytaker-" + name);
      worker.setDaemon(true);
      worker.start();
    }
    Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
    while (input.hasNextLine()) {
      input.nextLine();
      taker.reportNextTurns();
    }
    Runtime.getRuntime().halt(0);
  }

  private void reportNextTurns() {
    missing.set(names.size());
    awaited.addAll(names);
  }

  private void takeTurns(String name, DistributedLock lock) {
    while (true) {
      try {
        lock.acquire().close();
        if (awaited.remove(name) && missing.decrementAndGet() == 0) {
          System.out.println("busy");
        }
      } catch (LockException stopped) {
        // It was stopped for longer than its ttl, and what it was doing then has failed.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
