package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Renewals that the store carries out in another order than they were sent in. */
class LateRenewalTest {

  private static final LockSpec LIMITED = LockSpec.mutex(OPTIONS.maxHold(ofSeconds(29)));

  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_late_renewal_that_asked_for_less_life_never_leaves_a_valid_lease_without_its_claim() {
    Lease lease = scene.request("x", LIMITED).join();
    scene.advance(ofSeconds(19));
    scene.faults.set(Verb.REFRESH, Manner.DOES_IT_LATE);
    scene.advance(ofSeconds(1)); // a renewal that asks for what maxHold leaves is on its way
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
    lease.extend(null, Duration.ZERO);
    scene.faults.answer(); // the older one comes last

    boolean held = true;
    for (int i = 0; i < 400 && held; i++) {
      scene.advance(ofMillis(100));
      held = other.inspect("x").isHeld();
      assertThat(held || !lease.isValid()).as("after %d steps", i).isTrue();
    }
    assertThat(lease.isValid()).isTrue(); // it was renewed again in time
  }

  @Test
  void limits_that_change_in_the_moment_of_a_renewal_count() {
    Lease lease = scene.request("x", LIMITED).join();
    scene.advance(ofSeconds(20)); // a renewal falls on this moment
    lease.extend(null, Duration.ZERO);
    scene.advance(ofSeconds(60));
    assertThat(lease.isValid()).isTrue();
  }
}
