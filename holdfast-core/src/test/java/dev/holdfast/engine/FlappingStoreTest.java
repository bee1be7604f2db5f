package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A wait without limit that the store has confirmed outlasts a store that answers now and then. */
class FlappingStoreTest {

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final SilentStore faults = new SilentStore(new MemoryLockStore(space, ticker));
  private final Holdfast client =
      Holdfast.builder().store(faults).ticker(ticker).executor(Runnable::run).build();
  private final Holdfast other =
      Holdfast.builder()
          .store(new MemoryLockStore(space, ticker))
          .ticker(ticker)
          .executor(Runnable::run)
          .build();

  @AfterEach
  void close() {
    faults.setAll(Manner.ANSWERS);
    ticker.advance(ofSeconds(10)); // whatever was never answered is given up on
    client.close();
    other.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Manner.class,
      names = {"IGNORES", "LOSES_THE_ANSWER", "FAILS", "THROWS"})
  void although_its_claim_has_died_and_the_next_join_is_not_answered(Manner manner) {
    Lease theirs = other.lock("x").acquireAsync().join();
    CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
    faults.setAll(Manner.IGNORES);
    ticker.advance(ofSeconds(15)); // a waiter lives for 10 s without a refresh
    assertThat(other.inspect("x").waiters()).as("waiters").isEmpty();
    faults.set(Verb.REFRESH, Manner.ANSWERS); // that it is gone
    faults.set(Verb.JOIN, manner);
    ticker.advance(ofMinutes(2));
    assertThat(waiting).isNotDone();
    faults.setAll(Manner.ANSWERS);
    ticker.advance(ofSeconds(30));
    assertThat(waiting).isNotDone();
    theirs.close();
    ticker.advance(ofSeconds(5));
    assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
  }

  @Test
  void although_it_is_answered_for_a_moment_again_and_again() {
    Lease theirs = other.lock("x").acquireAsync().join();
    CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
    for (int second = 0; second < 300; second++) {
      // 17 s of silence, 1 s of answers to refreshes, 1 s of answers to all
      boolean refreshes = second % 19 >= 17;
      boolean all = second % 19 == 18;
      faults.set(Verb.REFRESH, refreshes ? Manner.ANSWERS : Manner.IGNORES);
      faults.set(Verb.JOIN, all ? Manner.ANSWERS : Manner.IGNORES);
      faults.set(Verb.LEAVE, all ? Manner.ANSWERS : Manner.IGNORES);
      ticker.advance(ofSeconds(1));
      assertThat(waiting).as("after %d s", second).isNotDone();
    }
    faults.setAll(Manner.ANSWERS);
    theirs.close();
    ticker.advance(ofSeconds(30));
    assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
  }

  @Test
  void of_a_request_behind_another_one_of_the_same_client() {
    Lease theirs = other.lock("x").acquireAsync().join();
    CompletableFuture<Lease> first = client.lock("x").acquireAsync();
    CompletableFuture<Lease> second = client.lock("x").acquireAsync();
    ticker.advance(ofMinutes(1)); // the store has confirmed many times that this client waits
    theirs.close();
    assertThat(first).isCompletedWithValueMatching(Lease::isValid);
    faults.set(Verb.JOIN, Manner.IGNORES);
    ticker.advance(ofMillis(200)); // too long for a hand-off: the second one needs its own claim
    ticker.advance(ofSeconds(30));
    assertThat(second).isNotDone();
    faults.setAll(Manner.ANSWERS);
    first.join().close();
    ticker.advance(ofSeconds(10));
    assertThat(second).isCompletedWithValueMatching(Lease::isValid);
  }
}
