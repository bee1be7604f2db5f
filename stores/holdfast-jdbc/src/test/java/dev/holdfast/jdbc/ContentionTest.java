package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients, each with its own connection, on a file that does not exist yet. */
class ContentionTest {

  private static final int CLIENTS = 8;
  private static final int ROUNDS = 60;

  @TempDir Path directory;

  // Mutable state: what the lock protects, and nothing else does
  private long counter;
  private long lastToken;

  @Test
  void no_update_is_lost_and_every_token_is_greater_than_the_one_before() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    CyclicBarrier start = new CyclicBarrier(CLIENTS);
    List<Future<?>> clients = new ArrayList<>();
    try (Ticker ticker = Ticker.system("contention")) {
      for (int i = 0; i < CLIENTS; i++) {
        boolean waits = i % 2 == 0;
        clients.add(
            threads.submit(
                () -> {
                  start.await();
                  work(ticker, waits);
                  return null;
                }));
      }
      for (Future<?> client : clients) {
        client.get(100, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(counter).isEqualTo((long) CLIENTS * ROUNDS);
  }

  private void work(Ticker ticker, boolean waits) {
    try (LockStore store =
        new SqliteProvider()
            .open(
                "sqlite:" + directory.resolve("locks.db"),
                new StoreSettings(ticker, Duration.ofSeconds(60)))) {
      for (int i = 0; i < ROUNDS; i++) {
        Claim claim = Ask.mutex("counter");
        long token = acquire(store, claim, waits);
        assertThat(token).isGreaterThan(lastToken);
        lastToken = token;
        counter++;
        Ask.leave(store, claim);
      }
    }
  }

  private static long acquire(LockStore store, Claim claim, boolean waits) {
    JoinAnswer answer = Ask.of(store.join(claim, waits, Deadlines.far()));
    while (true) {
      if (answer instanceof Granted granted) {
        return granted.token();
      }
      LockSupport.parkNanos(500_000);
      if (waits) {
        if (Ask.refresh(store, claim) instanceof Granted granted) {
          return granted.token();
        }
      } else {
        answer = Ask.join(store, claim);
      }
    }
  }
}
