package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.Lease;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request that finds the client open, and the client closes before its join is answered. */
class LateRequestTest {

  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Scene scene = Scene.on(ClosingStore::new);
  private final Engine other = scene.otherClient();
  private Background<Void> closing;
  private Runnable beforeJoin = () -> {};

  @AfterEach
  void close() {
    stopped.countDown();
    scene.close();
  }

  /** Lets the test act when a join is on its way. */
  private final class ClosingStore extends ForwardingStore {
    ClosingStore(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      beforeJoin.run();
      return super.join(claim, wait, deadline);
    }
  }

  /** From now on a join meets the client's end, which waits until the leader of "e" has stopped. */
  private void leadAndCloseDuringTheNextJoin() {
    scene
        .locks
        .election("e", OPTIONS)
        .stand(
            "v",
            new LeaderListener() {
              @Override
              public void elected(Leadership leadership) {}

              @Override
              public void ended(Leadership leadership) {
                awaitStopped();
              }
            });
    beforeJoin =
        () -> {
          beforeJoin = () -> {};
          closing = Background.start(this::closeClient);
          await().until(scene.engine::isClosed);
        };
  }

  private Void closeClient() {
    scene.engine.close();
    return null;
  }

  private void awaitStopped() {
    try {
      stopped.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void does_not_elect_the_next_leader_while_ended_runs() throws Exception {
    leadAndCloseDuringTheNextJoin();
    CompletableFuture<Lease> late = scene.request("e", LockSpec.election("e", "w", OPTIONS));
    assertThat(other.inspect("e").holders())
        .singleElement()
        .satisfies(holder -> assertThat(holder.value()).isEqualTo("v"));
    stopped.countDown();
    closing.get();
    assertThat(late).isDone();
    assertThat(other.inspect("e").isHeld()).isFalse();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void does_not_shorten_the_min_hold_of_the_holder() throws Exception {
    scene.request("x", LockSpec.mutex(OPTIONS.minHold(ofMinutes(5)))).join();
    leadAndCloseDuringTheNextJoin();
    CompletableFuture<Lease> late = scene.request("x", LockSpec.mutex(OPTIONS.handOff(false)));
    assertThat(other.inspect("x").isHeld()).isTrue();
    stopped.countDown();
    closing.get();
    assertThat(late).isCompletedExceptionally();
    assertThat(other.inspect("x").isHeld()).isTrue();
  }

  @Test
  void is_given_back_though_the_client_has_closed_by_then() throws Exception {
    beforeJoin =
        () -> {
          beforeJoin = () -> {};
          scene.engine.close();
        };
    CompletableFuture<Lease> late = scene.request("x", MUTEX);
    assertThatThrownBy(late::join).hasRootCauseMessage("the client is closed");
    assertThat(other.inspect("x").isHeld()).isFalse();
    assertThat(scene.engine.names()).isZero();
  }
}
