package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * On a store that cannot queue, a waiter joins again and again. One of these joins is delayed for
 * until nobody expects it any more; then the waiter gives up, and then it arrives.
 */
class LateJoinTest {

  /** Cannot queue, and keeps joins under way for as long as the test wants. */
  private static final class Slow extends ForwardingStore {
    private final CompletableFuture<Void> arrival = new CompletableFuture<>();

    // Mutable state
    private volatile boolean delaying;

    Slow(LockStore inner) {
      super(inner);
    }

    @Override
    public Traits traits() {
      return Traits.builder().build();
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return delaying
          ? arrival.thenCompose(now -> super.join(claim, false, deadline))
          : super.join(claim, false, deadline);
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
  private final DistributedLock lock = clients.client.lock("x");

  @BeforeEach
  void take() throws Exception {
    theirs = clients.other.lock("x").acquire();
  }

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void a_cancelled_request_keeps_it_out() throws Exception {
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    delayOneJoin();
    waiting.cancel(false);
    assertKeptOut();
  }

  @Test
  void an_interrupted_thread_keeps_it_out() throws Exception {
    Background<Lease> waiting = Background.start(lock::acquire).awaitWaiting();
    delayOneJoin();
    waiting.interrupt();
    assertThatThrownBy(waiting::get).isInstanceOf(InterruptedException.class);
    assertKeptOut();
  }

  @Test
  void a_holder_that_was_granted_since_keeps_it_out_when_it_releases() throws Exception {
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    delayOneJoin();
    theirs.close();
    awaitJoin(); // which is granted, while the delayed one is still on its way
    waiting.join().close();
    theirs = clients.other.lock("x").acquire();
    assertKeptOut();
  }

  @Test
  void a_closing_client_keeps_it_out() throws Exception {
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    delayOneJoin();
    clients.client.close();
    assertThat(waiting).isCompletedExceptionally();
    assertKeptOut();
  }

  @Test
  void a_request_that_gives_way_to_one_with_another_ttl_keeps_it_out() throws Exception {
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    delayOneJoin();
    CompletableFuture<Lease> next =
        clients.client.lock("x", LockOptions.defaults().ttl(ofSeconds(20))).acquireAsync();
    waiting.cancel(false);
    next.cancel(false);
    assertKeptOut();
  }

  @Test
  void a_request_that_was_answered_busy_since_keeps_it_out_when_it_is_cancelled() throws Exception {
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    delayOneJoin();
    awaitJoin(); // which is answered, while the delayed one is still on its way
    waiting.cancel(false);
    assertKeptOut();
  }

  @Test
  void a_request_that_was_answered_busy_since_keeps_it_out_at_its_limit() throws Exception {
    CompletableFuture<Lease> waiting = lock.tryAcquireAsync(ofSeconds(30));
    delayOneJoin();
    awaitJoin(); // which is answered, while the delayed one is still on its way
    clients.advance(ofSeconds(30));
    assertThat(waiting).isCompletedWithValue(null);
    assertKeptOut();
  }

  @Test
  void a_request_whose_last_join_is_answered_busy_after_its_limit_keeps_it_out() throws Exception {
    CompletableFuture<Lease> waiting = lock.tryAcquireAsync(ofSeconds(6));
    delayOneJoin();
    clients.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
    awaitJoin();
    clients.advance(ofSeconds(1));
    assertThat(waiting).isNotDone();
    clients.faults.answer();
    assertThat(waiting).isCompletedWithValue(null);
    assertKeptOut();
  }

  /** A repeated join is on its way for longer than anybody waits for its answer. */
  private void delayOneJoin() {
    await().until(() -> !clients.store.joins.isEmpty());
    slow.delaying = true;
    awaitJoin();
    clients.advance(Clients.OPERATION_TIMEOUT); // the next try comes 20 ms later at the earliest
    slow.delaying = false;
  }

  private void awaitJoin() {
    int before = clients.store.joins.size();
    for (int i = 0; i < 200 && clients.store.joins.size() == before; i++) {
      clients.advance(ofMillis(1));
    }
    assertThat(clients.store.joins).hasSize(before + 1);
  }

  /** The holder releases, the delayed join arrives, and the lock is free all the same. */
  private void assertKeptOut() throws InterruptedException {
    theirs.close();
    slow.arrival.complete(null);
    assertThat(clients.other.inspect("x").holders()).isEmpty();
    assertThat(clients.other.lock("x").tryAcquire()).isNotNull();
    assertThat(clients.store.departures).anyMatch(Departure::tombstone);
  }
}
