package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockInfo;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Standing;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BaseLockStoreTest {

  private final Observers observers = new Observers();
  private final AtomicInteger ends = new AtomicInteger();
  private final AtomicInteger wakes = new AtomicInteger();
  private final Silent store = new Silent();

  @Test
  void a_store_ends_once_however_often_it_is_closed() {
    store.close();
    store.close();

    assertThat(ends).hasValue(1);
  }

  @Test
  void an_observer_of_a_lock_is_woken_until_the_store_is_closed() {
    store.observe("orders", wakes::incrementAndGet);

    observers.wake("orders");
    assertThat(wakes).hasValue(1);

    store.close();
    observers.wake("orders");
    assertThat(wakes).hasValue(1);
  }

  @Test
  void messages_name_it_by_its_url() {
    assertThat(store).hasToString("silent:");
  }

  /** Answers nothing. */
  private final class Silent extends BaseLockStore {

    Silent() {
      super("silent:", Traits.builder().build(), observers);
    }

    @Override
    protected void shutDown() {
      ends.incrementAndGet();
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Map<Claim, Standing>> refresh(
        Collection<Claim> claims, Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Map<Claim, Left>> leave(
        Collection<Departure> departures, Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Boolean> evict(String lock, long token) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<LockInfo> inspect(String lock) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
      return new CompletableFuture<>();
    }
  }
}
