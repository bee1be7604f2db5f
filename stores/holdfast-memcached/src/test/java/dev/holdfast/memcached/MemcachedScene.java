package dev.holdfast.memcached;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A store on a server of the test's own, spoken to call by call. */
final class MemcachedScene implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("memcached-test");
  private final LockStore store;

  MemcachedScene(String url) {
    this(url, PATIENCE, Credentials.none());
  }

  MemcachedScene(String url, Duration timeout, Credentials credentials) {
    try {
      store = new MemcachedProvider().open(url, new StoreSettings(ticker, timeout, credentials));
    } catch (RuntimeException e) {
      ticker.close();
      throw e;
    }
  }

  LockStore store() {
    return store;
  }

  JoinAnswer join(Claim claim) {
    return answer(store.join(claim, false, Deadlines.far()));
  }

  Standing refresh(Claim claim) {
    return answer(store.refresh(List.of(claim), Deadlines.far())).get(claim);
  }

  Left leave(Claim claim) {
    return answer(store.leave(List.of(Departure.of(claim)), Deadlines.far())).get(claim);
  }

  /** In bounded time: a stage that never completes must fail the test, not hang it. */
  static <T> T answer(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  static Claim claim(String lock) {
    Owner owner = new Owner("host", 1, "thread", "client", "");
    String id = UUID.randomUUID().toString();
    return new Claim(id, lock, Kind.MUTEX, 1, 1, owner, Duration.ofMinutes(5), null, 0, 0);
  }

  @Override
  public void close() {
    store.close();
    ticker.close();
  }
}
