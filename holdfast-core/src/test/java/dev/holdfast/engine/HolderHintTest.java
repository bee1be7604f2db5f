package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HolderHintTest {

  @Test
  void a_holder_is_told_at_once_that_its_lock_was_taken_away() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();

      scene.otherClient().evict("a");
      scene.advance(Duration.ZERO);

      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void so_is_one_whose_renewal_is_on_its_way() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(Duration.ofSeconds(10));

      scene.otherClient().evict("a");
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.faults.answer();
      scene.advance(Duration.ZERO);

      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void a_hint_alone_is_no_loss() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();

      scene.store.hint("a");
      scene.advance(Duration.ZERO);

      assertThat(lease.isValid()).isTrue();
      assertThat(scene.store.refreshes).hasSize(1);
    }
  }

  @Test
  void an_event_that_ends_many_claims_is_asked_about_in_few_requests() {
    try (Scene scene = Scene.plain()) {
      for (int i = 0; i < 100; i++) {
        scene.request("a" + i, MUTEX).join();
      }

      for (int i = 0; i < 100; i++) {
        scene.store.hint("a" + i);
      }
      scene.advance(Duration.ZERO);

      assertThat(scene.store.refreshes).hasSize(1);
    }
  }

  @Test
  void permits_that_stay_are_not_asked_about_when_another_one_is_given_back() {
    try (Scene scene = Scene.plain()) {
      scene.request("a", Scene.permits(1, 3)).join();
      Lease second = scene.request("a", Scene.permits(1, 3)).join();

      second.close();
      scene.advance(Duration.ZERO);

      assertThat(scene.store.refreshes).isEmpty();
    }
  }
}
