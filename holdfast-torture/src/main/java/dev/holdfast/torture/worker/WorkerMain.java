package dev.holdfast.torture.worker;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.torture.ledger.LedgerClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A worker: its argument is the file of its {@link WorkerSettings}. It ends by itself when all it
 * had asked for has been decided and given back.
 */
public final class WorkerMain {

  /** What it says on stdout when it begins, followed by its clock. */
  public static final String CLOCK = "clock ";

  /** What the name of a worker's second client ends with. */
  public static final String OTHER = "b";

  // Referenced, because a logger that is garbage-collected forgets its level.
  private static final Logger ROOT = Logger.getLogger("");

  /** What it says when its clients are open. */
  public static final String READY = "ready";

  private static final long RETRY_MILLIS = 200;
  private static final long LOOK_MILLIS = 20;

  private WorkerMain() {}

  /** Works until it is time to end. */
  public static void main(String[] args) throws Exception {
    System.out.println(CLOCK + System.nanoTime());
    ROOT.setLevel(Level.OFF);
    WorkerSettings settings = WorkerSettings.read(Path.of(args[0]));
    Files.delete(Path.of(args[0])); // the URL may hold a password
    Recorder recorder = new Recorder(settings);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (Holdfast locks = connect(settings);
        Holdfast other = connect(settings)) {
      System.out.println(READY);
      long until = until(settings.until());
      List<Thread> threads = new ArrayList<>();
      for (Function<Scene, Activity> activity : Activities.on(locks.traits())) {
        int number = threads.size();
        Scene scene =
            new Scene(
                settings,
                settings.source() + "/t" + number,
                locks,
                other,
                recorder,
                new LedgerClient(settings.ledger(), settings.plant() != Plant.UNFENCED),
                timer,
                until,
                new Random(settings.seed() + number));
        threads.add(new Thread(activity.apply(scene), scene.who()));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    timer.shutdownNow();
    System.exit(0);
  }

  private static long until(Path file) throws IOException, InterruptedException {
    while (!Files.exists(file)) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return Long.parseLong(Files.readString(file));
  }

  /** Opens a client as soon as the store lets us. */
  private static Holdfast connect(WorkerSettings settings)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return Holdfast.builder()
            .store(settings.url())
            .clientName(settings.source())
            .defaults(LockOptions.defaults().ttl(settings.ttl()))
            .build();
      } catch (RuntimeException unreachable) {
        if (Files.exists(settings.until()) && System.nanoTime() - until(settings.until()) > 0) {
          System.exit(0); // killed before, and back too late
        }
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      }
    }
  }
}
