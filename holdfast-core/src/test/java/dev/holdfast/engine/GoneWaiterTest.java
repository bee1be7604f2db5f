package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.Registration;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A claim that waited, and is gone when its client asks, while one of its joins is on its way. */
class GoneWaiterTest {

  /** Keeps joins under way for as long as the test wants, and hints at nothing. */
  private static final class Slow extends ForwardingStore {
    private final CompletableFuture<Void> arrival = new CompletableFuture<>();

    // Mutable state
    private volatile boolean delaying;

    Slow(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return delaying
          ? arrival.thenCompose(now -> super.join(claim, wait, deadline))
          : super.join(claim, wait, deadline);
    }

    @Override
    public Registration observe(String lock, Runnable wake) {
      return Registration.NONE;
    }
  }

  // Mutable state
  private Slow slow;
  private Lease theirs;

  private final Clients clients = Clients.on(inner -> slow = new Slow(inner));

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void keeps_out_its_join_that_arrives_after_all() throws Exception {
    theirs = clients.other.lock("x").acquire();
    CompletableFuture<Lease> waiting = clients.client.lock("x").acquireAsync();
    slow.delaying = true;
    breakWhatWasGrantedUnheard(); // the next claim's join is not answered
    clients.advance(Clients.OPERATION_TIMEOUT);
    slow.delaying = false;
    awaitJoin(); // the same claim waits now, and its first join is on its way
    breakWhatWasGrantedUnheard(); // it is gone, and another claim joins

    waiting.cancel(false);
    theirs.close();
    slow.arrival.complete(null);

    assertThat(clients.other.inspect("x").holders()).isEmpty();
    assertThat(clients.other.lock("x").tryAcquire()).isNotNull();
  }

  @Test
  void keeps_out_its_join_after_a_mismatch() throws Exception {
    theirs = clients.other.lock("x").acquire();
    CompletableFuture<Lease> waiting = clients.client.lock("x").acquireAsync();
    slow.delaying = true;
    breakWhatWasGrantedUnheard(); // the next claim's join is not answered
    clients.advance(Clients.OPERATION_TIMEOUT);
    theirs.close();
    Lease permit = clients.other.semaphore("x", 3).acquire();
    slow.delaying = false;
    awaitJoin(); // the same claim meets a semaphore, and its first join is on its way
    assertThatThrownBy(waiting::join).hasRootCauseInstanceOf(IllegalStateException.class);

    permit.close();
    slow.arrival.complete(null);

    assertThat(clients.other.inspect("x").holders()).isEmpty();
    assertThat(clients.other.lock("x").tryAcquire()).isNotNull();
  }

  /** The holder leaves, and the claim that waits is granted and ended before its client hears. */
  private void breakWhatWasGrantedUnheard() throws Exception {
    theirs.close();
    assertThat(clients.other.breakLock("x")).isTrue();
    theirs = clients.other.lock("x").acquire();
    awaitJoin();
  }

  private void awaitJoin() {
    int before = clients.store.joins.size();
    for (int i = 0; i < 10_000 && clients.store.joins.size() == before; i++) {
      clients.advance(ofMillis(1));
    }
    assertThat(clients.store.joins).hasSize(before + 1);
  }
}
