package dev.holdfast.examples.paused;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/**
 * A program that takes many leases, writes once under each, and says {@code ready}. For each line
 * that it reads it writes under all of them again, as a thread does that looked at its lease before
 * it was paused, and says how many writes were accepted and how many leases are still valid. It
 * ends with its input.
 */
final class PausedWriter {

  static final String STORE = "HOLDFAST_STORE";
  static final String RESOURCE = "RESOURCE";

  private PausedWriter() {}

  /** The locks that it takes. */
  static List<String> locks() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      names.add("paused-" + i);
    }
    return names;
  }

  public static void main(String[] args) throws Exception {
    LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(Long.parseLong(args[1])));
    List<Lease> leases = new ArrayList<>();
    try (Holdfast locks = Holdfast.connect(System.getenv(STORE));
        Guarded resource = Guard.valueOf(args[0]).open(System.getenv(RESOURCE))) {
      for (String name : locks()) {
        leases.add(locks.lock(name, options).acquire());
      }
      for (Lease lease : leases) {
        resource.enter(lease.proof());
        resource.write(lease.proof(), "first");
      }
      System.out.println("ready");
      Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
      while (input.hasNextLine()) {
        String text = input.nextLine();
        int accepted = 0;
        for (Lease lease : leases) {
          accepted += isAccepted(resource, lease, text) ? 1 : 0;
        }
        long valid = leases.stream().filter(Lease::isValid).count();
        System.out.println("accepted " + accepted + ", valid " + valid);
      }
    }
  }

  private static boolean isAccepted(Guarded resource, Lease lease, String text) throws Exception {
    while (true) {
      try {
        resource.write(lease.proof(), text);
        return true;
      } catch (StaleTokenException | LeaseLostException refused) {
        return false;
      } catch (StoreException unknown) {
        // A resource that does not answer has refused nothing: ask again.
      }
    }
  }
}
