package dev.holdfast.testkit;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;

/**
 * A program that takes a lock and keeps it, so that tests can really kill it. Started by {@link
 * LockTakerProcess}.
 *
 * <p>Arguments: the lock's name and the ttl in milliseconds, and {@value #LEAD} if it is an
 * election; the store's URL is in the environment variable {@value #STORE}, because process
 * arguments can be read by everybody. It prints {@code waiting} when it is about to acquire and
 * {@code token N} when it holds; it releases and ends when it reads a line, and ends at once when
 * its input does, so it never outlives a test.
 */
public final class LockTaker {

  /** The environment variable with the store's URL. */
  static final String STORE = "HOLDFAST_STORE";

  /** The argument for an election. */
  static final String LEAD = "lead";

  /** On a busy machine it takes long until a new JVM has opened its first connection. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private LockTaker() {}

  /** Takes the lock and keeps it. */
  public static void main(String[] args) throws InterruptedException {
    LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(Long.parseLong(args[1])));
    CountDownLatch asked = new CountDownLatch(1);
    Thread listener = new Thread(() -> listen(asked), "locktaker-input");
    listener.setDaemon(true);
    listener.start();
    try (Holdfast locks =
        Holdfast.builder()
            .store(System.getenv().getOrDefault(STORE, ""))
            .operationTimeout(PATIENCE)
            .build()) {
      System.out.println("waiting");
      try (Lease lease = take(locks, options, List.of(args))) {
        System.out.println("token " + lease.token());
        asked.await();
      }
    }
  }

  private static Lease take(Holdfast locks, LockOptions options, List<String> args)
      throws InterruptedException {
    return args.contains(LEAD)
        ? locks.election(args.get(0), options).campaign("taker")
        : locks.lock(args.get(0), options).acquire();
  }

  private static void listen(CountDownLatch asked) {
    Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
    if (!input.hasNextLine()) {
      Runtime.getRuntime().halt(1);
    }
    asked.countDown();
  }
}
