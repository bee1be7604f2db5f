package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.engine.state.Corruption;
import dev.holdfast.engine.state.LockState;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An error inside the engine concerns one lock, and is not kept quiet. */
class EngineErrorTest {

  private final Scene scene = Scene.plain();
  private final Logs.Recording logs = Logs.record();

  @AfterEach
  void close() {
    logs.close();
    scene.close();
  }

  private LockState state(Lease lease) {
    return scene.engine.find(lease.lockName()).state;
  }

  private void assertLogged(String name) {
    assertThat(logs.atLeast(Level.ERROR))
        .isNotEmpty()
        .allMatch(line -> line.equals("Unexpected failure while updating lock '" + name + "'"));
  }

  @Test
  void it_is_logged_with_the_name_of_the_lock_and_fails_the_requests_it_concerns()
      throws Exception {
    Lease held = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    CompletableFuture<Lease> elsewhere = scene.request("y", MUTEX);
    Corruption.of(state(held));
    CompletableFuture<Lease> asking = scene.request("x", MUTEX);
    for (CompletableFuture<Lease> failed : List.of(waiting, asking)) {
      assertThatThrownBy(failed::join)
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Unexpected failure while updating lock 'x'");
    }
    assertLogged("x");
    assertThat(elsewhere.join().isValid()).isTrue();
    // The mutex is not left locked.
    assertThat(scene.engine.find("x")).isNotNull();
    assertThat(Background.start(() -> scene.engine.heldBy(Thread.currentThread(), "x")).get())
        .isNull();
  }

  @Test
  void it_does_not_keep_the_client_from_closing() {
    Lease broken = scene.request("broken", MUTEX).join();
    scene.request("whole", MUTEX).join();
    Corruption.of(state(broken));
    scene.engine.close();
    assertLogged("broken");
    assertThat(scene.otherClient().inspect("whole").isHeld()).isFalse();
    assertThat(scene.store.closes).hasValue(1);
  }

  @Test
  void it_does_not_keep_other_locks_from_being_renewed() {
    Lease broken = scene.request("broken", MUTEX).join();
    Lease whole = scene.request("whole", MUTEX).join();
    ((EngineLease) broken).hold.tenure.claim = null;
    scene.advance(ofSeconds(60));
    assertThat(whole.isValid()).isTrue();
    assertLogged("broken");
  }

  @Test
  void a_release_that_fails_inside_is_logged_and_fails_the_requests_that_wait() {
    Lease broken = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    Corruption.of(state(broken));
    broken.close();
    assertLogged("x");
    assertThat(waiting).isCompletedExceptionally();
  }
}
