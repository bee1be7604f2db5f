package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseState;
import dev.holdfast.LockInfo;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that closes while it attaches a lease keeps none. */
class AttachBesideCloseTest {

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final ClosingStore closing = new ClosingStore(new MemoryLockStore(space, ticker));
  private final Holdfast first = client(new MemoryLockStore(space, ticker));
  private final Holdfast client = client(closing);
  private final LeaseHandle handle = first.lock("x").acquireAsync().join().detach();

  private Holdfast client(LockStore store) {
    return Holdfast.builder().store(store).ticker(ticker).executor(Runnable::run).build();
  }

  @AfterEach
  void close() {
    client.close();
    first.close();
  }

  @Test
  void attaching_fails_or_the_lease_ends_with_the_client() {
    closing.whileInspecting.set(() -> Background.start(this::closeClient).get());
    Lease lease;
    try {
      lease = client.attach(handle);
    } catch (IllegalStateException clientIsClosed) {
      return; // the handle is still good for another client
    }
    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(first.inspect("x").isHeld()).isFalse();
  }

  private boolean closeClient() {
    client.close();
    return true;
  }

  /** Does something else once, between the inspection that ends an attach and its answer. */
  private static final class ClosingStore extends ForwardingStore {

    private final AtomicReference<Callable<?>> whileInspecting = new AtomicReference<>(() -> "");

    ClosingStore(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<LockInfo> inspect(String lock) {
      CompletionStage<LockInfo> answer = super.inspect(lock);
      try {
        whileInspecting.getAndSet(() -> "").call();
      } catch (Exception e) {
        return CompletableFuture.failedStage(e);
      }
      return answer;
    }
  }
}
