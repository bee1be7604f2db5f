package dev.holdfast.examples;

// sample: program
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.time.Duration;

final class FirstLock {
  public static void main(String[] args) throws InterruptedException {
    try (Holdfast locks = Holdfast.connect(args[0]); // "sqlite:/var/lib/app/locks.db"
        Lease lease = locks.lock("invoice/42").acquire(Duration.ofSeconds(5))) {
      System.out.println("posting invoice 42 with token " + lease.token());
    }
  }
}
// end
