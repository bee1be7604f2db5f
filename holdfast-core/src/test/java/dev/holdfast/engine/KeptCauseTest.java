package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPERATION_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the store's client reported is the cause of what the caller sees. */
class KeptCauseTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_renewal_that_fails_keeps_its_cause() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.REFRESH, Manner.FAILS);
    assertThatThrownBy(lease::renew)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'x'")
        .cause()
        .hasMessage("the store is broken");
    scene.faults.set(Verb.REFRESH, Manner.THROWS);
    assertThatThrownBy(lease::renew)
        .isInstanceOf(StoreException.class)
        .cause()
        .hasMessage("the store's client is broken");
  }

  @Test
  void a_renewal_without_an_answer_says_so() throws Exception {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    Background<Void> renewing =
        Background.start(
            () -> {
              lease.renew();
              return (Void) null;
            });
    renewing.awaitWaiting();
    scene.advance(OPERATION_TIMEOUT);
    assertThatThrownBy(renewing::get)
        .isInstanceOf(StoreException.class)
        .hasCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void a_release_that_fails_keeps_its_cause() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.LEAVE, Manner.FAILS);
    assertThatThrownBy(lease::release)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'x'")
        .cause()
        .hasMessage("the store is broken");
  }

  @Test
  void a_release_without_an_answer_says_so() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.LEAVE, Manner.IGNORES);
    CompletableFuture<Boolean> released = lease.releaseAsync();
    scene.advance(OPERATION_TIMEOUT);
    assertThat(released).isCompletedExceptionally();
    assertThatThrownBy(released::join)
        .hasCauseInstanceOf(StoreException.class)
        .hasRootCauseInstanceOf(TimeoutException.class);
  }
}
