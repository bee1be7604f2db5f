package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A try of another kind, made while a join of the same client is under way, is never busy. */
class TryOfAnotherKindTest {

  private final Clients clients = Clients.plain();
  private final DistributedLock mutex = clients.client.lock("x");

  @BeforeEach
  void answerLate() {
    clients.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
  }

  @AfterEach
  void close() {
    clients.close();
  }

  static Stream<Named<Function<Clients, CompletableFuture<Lease>>>> tries() {
    return Stream.of(
        Named.of("permit", all -> all.client.semaphore("x", 3).tryAcquireAsync(1)),
        Named.of("reader", all -> all.client.readWriteLock("x").readLock().tryAcquireAsync()),
        Named.of("writer", all -> all.client.readWriteLock("x").writeLock().tryAcquireAsync()));
  }

  @ParameterizedTest
  @MethodSource("tries")
  void it_is_refused_once_the_join_is_granted(Function<Clients, CompletableFuture<Lease>> kind) {
    CompletableFuture<Lease> joining = mutex.acquireAsync();
    CompletableFuture<Lease> trying = kind.apply(clients);
    answerAll();
    assertThat(joining).isCompleted();
    assertMismatch(trying);
    assertThat(joining.join().isValid()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("tries")
  void it_is_refused_once_the_join_is_queued(Function<Clients, CompletableFuture<Lease>> kind)
      throws Exception {
    Lease theirs = clients.other.lock("x").acquire();
    CompletableFuture<Lease> joining = mutex.acquireAsync();
    CompletableFuture<Lease> trying = kind.apply(clients);
    answerAll();
    assertMismatch(trying);
    theirs.close();
    answerAll();
    assertThat(joining).isCompleted();
  }

  @Test
  void a_limited_wait_is_refused_too_and_not_answered_busy_at_its_limit() throws Exception {
    Lease theirs = clients.other.lock("x").acquire();
    CompletableFuture<Lease> joining = mutex.acquireAsync();
    CompletableFuture<Lease> trying =
        clients.client.semaphore("x", 3).tryAcquireAsync(1, ofMillis(10));
    answerAll();
    assertMismatch(trying);
    assertThat(joining).isNotDone();
    assertThat(theirs.isValid()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("tries")
  void it_is_refused_once_the_join_of_a_try_is_busy(
      Function<Clients, CompletableFuture<Lease>> kind) throws Exception {
    Lease theirs = clients.other.lock("x").acquire();
    CompletableFuture<Lease> busy = mutex.tryAcquireAsync();
    CompletableFuture<Lease> trying = kind.apply(clients);
    answerAll();
    assertThat(busy).isCompletedWithValue(null);
    assertMismatch(trying);
    assertThat(theirs.isValid()).isTrue();
  }

  private static void assertMismatch(CompletableFuture<Lease> trying) {
    assertThat(trying).isDone();
    assertThatThrownBy(trying::join)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("MUTEX of capacity 1");
  }

  /** The join under way, one that its answer may lead to, and what a limit waits for. */
  private void answerAll() {
    clients.faults.answer();
    clients.faults.answer();
    clients.advance(ofMillis(20));
    clients.faults.answer();
  }
}
