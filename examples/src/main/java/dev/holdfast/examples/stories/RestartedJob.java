package dev.holdfast.examples.stories;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.OnLost;
import dev.holdfast.Registration;
import java.io.IOException;
import java.time.Duration;

/**
 * A job of which one instance works and the others wait. When the lock is lost it does not try to
 * unwind what is under way: it ends at once, and the platform restarts it. See {@code
 * examples/kubernetes/restarted-job.yaml}.
 */
public final class RestartedJob {

  private RestartedJob() {}

  /** Waits for its turn and works until its input ends. */
  public static void main(String[] args) throws InterruptedException, IOException {
    String store = System.getenv().getOrDefault("HOLDFAST_STORE", "");
    // sample: job
    LockOptions options = LockOptions.defaults().ttl(Duration.ofSeconds(6)).label("report-job");
    try (Holdfast locks = Holdfast.connect(store);
        Lease lease = locks.lock("report-job", options).acquire();
        Registration restart = lease.onLost(OnLost.halt())) { // the process ends with status 76
      work(lease);
    }
    // end
  }

  private static void work(Lease lease) throws IOException {
    System.out.println("working with token " + lease.token());
    System.in.readAllBytes();
  }
}
