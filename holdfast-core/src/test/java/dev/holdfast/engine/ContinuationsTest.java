package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Continuations that wait for other futures of the client hold up no future, however many. */
class ContinuationsTest {

  private static final int COUNT = 600;

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final Holdfast client = client(); // on its own threads
  private final Holdfast other = client();
  private final List<CompletableFuture<Lease>> futures = new ArrayList<>();

  private Holdfast client() {
    return Holdfast.builder().store(new MemoryLockStore(space, ticker)).ticker(ticker).build();
  }

  @AfterEach
  void close() {
    futures.forEach(future -> future.cancel(false)); // frees those that wait for them
    client.close();
    other.close();
  }

  @Test
  void many_continuations_that_wait_for_the_last_future_all_finish() {
    List<Lease> theirs = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      theirs.add(other.lock("lock/" + i).acquireAsync().join());
      futures.add(client.lock("lock/" + i).acquireAsync());
    }
    AtomicInteger finished = new AtomicInteger();
    CompletableFuture<Lease> last = futures.get(COUNT - 1);
    for (CompletableFuture<Lease> future : futures) {
      var unused =
          future.thenAccept(
              lease -> {
                last.join();
                finished.incrementAndGet();
              });
    }
    theirs.forEach(Lease::close); // in their order: the last future completes last
    await().atMost(Duration.ofSeconds(30)).until(() -> finished.get() == COUNT);
    assertThat(futures).allMatch(CompletableFuture::isDone);
  }
}
