package dev.holdfast.testkit;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A program that takes several locks at once again and again, then prints {@code done} and ends.
 *
 * <p>Arguments: the number of rounds, the ttl in milliseconds, and the locks' names; the store's
 * URL is in the environment, as for {@link LockTaker}.
 */
public final class MultiLockTaker {

  private MultiLockTaker() {}

  /** Starts it at this store. */
  public static JavaProcess start(String url, int rounds, Duration ttl, List<String> names) {
    List<String> arguments = new ArrayList<>();
    arguments.add(Integer.toString(rounds));
    arguments.add(Long.toString(ttl.toMillis()));
    arguments.addAll(names);
    return JavaProcess.start(
        MultiLockTaker.class, Map.of(LockTaker.STORE, url), arguments.toArray(String[]::new));
  }

  /** Takes the locks and gives them back. */
  public static void main(String[] args) throws InterruptedException {
    LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(Long.parseLong(args[1])));
    List<String> names = Arrays.asList(args).subList(2, args.length);
    try (Holdfast locks =
        Holdfast.builder()
            .store(System.getenv().getOrDefault(LockTaker.STORE, ""))
            .operationTimeout(LockTaker.PATIENCE)
            .build()) {
      MultiLock all = locks.lockAll(names, options);
      for (int i = 0; i < Integer.parseInt(args[0]); i++) {
        all.acquire().close();
      }
    }
    System.out.println("done");
  }
}
