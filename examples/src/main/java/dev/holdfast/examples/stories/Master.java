package dev.holdfast.examples.stories;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.http.ProofHeader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Scanner;

/**
 * One of several masters; the one that holds the lock sends orders to a {@link Worker}.
 *
 * <p>It looks at its lease before each order, which is right and not enough: it can be paused
 * between the look and the order. So that a test can pause it exactly there, it says what it saw
 * and waits for another line before it sends.
 */
public final class Master {

  /** The environment variable with the store's URL. */
  public static final String STORE = "HOLDFAST_STORE";

  /** The environment variable with the worker's address. */
  public static final String WORKER = "WORKER";

  private static final String LOCK = "master";

  private Master() {}

  /** Becomes the master, then sends each line of its input as an order. */
  public static void main(String[] args) throws Exception {
    LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(Long.parseLong(args[0])));
    Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
    try (Holdfast locks = Holdfast.connect(System.getenv().getOrDefault(STORE, ""));
        Lease lease = locks.lock(LOCK, options).acquire()) {
      System.out.println("master");
      while (input.hasNextLine()) {
        String order = input.nextLine();
        System.out.println("valid: " + lease.isValid());
        input.nextLine();
        System.out.println("answer: " + send(lease, order));
      }
    }
  }

  private static int send(Lease lease, String order) throws IOException, InterruptedException {
    URI worker = URI.create(System.getenv().getOrDefault(WORKER, "") + "/guarded/" + LOCK);
    // sample: send
    HttpRequest request =
        ProofHeader.set(HttpRequest.newBuilder(worker), lease)
            .PUT(BodyPublishers.ofString(order))
            .build();
    int status = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
    // end
    return status;
  }
}
