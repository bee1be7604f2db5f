package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many clients that hold one lock and wait for it while their server is killed. */
@NeedsServer(value = Server.MEMCACHED, ofItsOwn = true)
class MemcachedCrowdIT {

  private static final int CLIENTS = 20;
  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(Duration.ofSeconds(3));
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void no_client_hangs_and_every_token_after_the_restart_is_greater_than_all_before()
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    AtomicBoolean done = new AtomicBoolean();
    try (MemcachedServer server = MemcachedServer.start()) {
      List<Worker> workers = new ArrayList<>();
      List<CompletableFuture<Void>> runs = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Worker worker = new Worker(server.url(), done);
        workers.add(worker);
        runs.add(CompletableFuture.runAsync(worker, threads));
      }
      await().atMost(PATIENCE).until(() -> grants(workers) > 2 * CLIENTS);

      server.kill();
      await().atMost(PATIENCE).until(() -> workers.stream().allMatch(it -> it.unknown.get() > 0));
      long before = workers.stream().mapToLong(Worker::greatest).max().orElseThrow();
      workers.forEach(worker -> worker.tokens.clear());
      server.restart();
      await().atMost(PATIENCE).until(() -> grants(workers) > 2 * CLIENTS);

      done.set(true);
      for (CompletableFuture<Void> run : runs) {
        assertThat(run).succeedsWithin(PATIENCE);
      }
      List<Long> after = workers.stream().flatMap(worker -> worker.tokens.stream()).toList();
      assertThat(after).doesNotHaveDuplicates().allMatch(token -> token > before);
    } finally {
      done.set(true);
      threads.shutdown();
    }
  }

  private static int grants(List<Worker> workers) {
    return workers.stream().mapToInt(worker -> worker.tokens.size()).sum();
  }

  /** Takes the lock again and again with its own client. */
  private static final class Worker implements Runnable {
    final Queue<Long> tokens = new ConcurrentLinkedQueue<>();
    final AtomicInteger unknown = new AtomicInteger();
    private final String url;
    private final AtomicBoolean done;

    Worker(String url, AtomicBoolean done) {
      this.url = url;
      this.done = done;
    }

    @Override
    public void run() {
      try (Holdfast locks = Holdfast.connect(url)) {
        while (!done.get()) {
          try (Lease lease = locks.lock("orders", OPTIONS).acquire(Duration.ofSeconds(2))) {
            tokens.add(lease.token());
          } catch (LockException e) {
            unknown.addAndGet(e instanceof StoreException ? 1 : 0);
          }
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    long greatest() {
      return tokens.stream().mapToLong(token -> token).max().orElse(0);
    }
  }
}
