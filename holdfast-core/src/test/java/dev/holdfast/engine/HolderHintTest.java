package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.Registration;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.HintLimit;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HolderHintTest {

  private static final Duration MOMENT = Duration.ofMillis(1);

  @Test
  void a_holder_learns_at_once_that_its_lock_was_taken_away() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();

      scene.otherClient().evict("a", LockStore.ANY_TOKEN);
      scene.advance(MOMENT);

      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void so_is_one_whose_renewal_is_on_its_way() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(Duration.ofSeconds(10));

      scene.otherClient().evict("a", LockStore.ANY_TOKEN);
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.faults.answer();
      scene.advance(MOMENT);

      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void a_hint_alone_is_no_loss() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();

      scene.store.hint("a");
      scene.advance(MOMENT);

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
      scene.advance(MOMENT);

      assertThat(scene.store.refreshes).hasSize(1);
    }
  }

  @Test
  void permits_that_stay_are_not_asked_about_when_another_one_is_given_back() {
    try (Scene scene = Scene.plain()) {
      scene.request("a", Scene.permits(1, 3)).join();
      Lease second = scene.request("a", Scene.permits(1, 3)).join();

      second.close();
      scene.advance(MOMENT);

      assertThat(scene.store.refreshes).isEmpty();
    }
  }

  @Test
  void a_lease_that_another_client_goes_on_with_is_reported_to_that_one() {
    try (Scene scene = Scene.plain()) {
      Engine other = scene.otherClient();
      Lease resumed = other.attach(scene.request("a", MUTEX).join().detach(), OPTIONS);

      scene.engine.evict("a", LockStore.ANY_TOKEN);
      scene.advance(MOMENT);

      assertThat(resumed.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void a_thread_that_comes_back_right_after_its_release_waits_without_a_request() {
    try (Scene scene = Scene.plain()) {
      Lease lease = scene.request("a", MUTEX).join();
      CompletableFuture<Lease> other =
          scene.otherClient().acquireAsync("a", MUTEX, Request.FOR_EVER);
      scene.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);
      CompletableFuture<Lease> again =
          lease.releaseAsync().toCompletableFuture().thenCompose(yes -> scene.request("a", MUTEX));

      scene.faults.answer();
      scene.advance(MOMENT);

      assertThat(other.join().isValid()).isTrue();
      assertThat(scene.store.joins).hasSize(2);
      assertThat(again).isNotDone();
      assertThat(scene.store.refreshes).isEmpty();
    }
  }

  @Test
  void a_turn_that_is_hinted_at_twice_is_asked_about_once() {
    LockSpec noHandOff = LockSpec.mutex(OPTIONS.handOff(false));
    try (Scene scene = Scene.plain()) {
      Lease first = scene.request("a", noHandOff).join();
      CompletableFuture<Lease> second = scene.request("a", noHandOff);
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);

      first.close(); // the store hints, and our own leave has made room
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.faults.answer();
      scene.advance(MOMENT);

      assertThat(second.join().isValid()).isTrue();
      assertThat(scene.store.refreshes).hasSize(1);
    }
  }

  @Test
  void a_store_that_hints_at_every_refresh_does_not_drive_the_client() {
    AtomicReference<Runnable> wake = new AtomicReference<>(() -> {});
    try (Scene scene = Scene.on(store -> new HintsAtEveryRefresh(store, wake))) {
      scene.request("a", MUTEX).join();

      wake.get().run();
      scene.advance(Duration.ofSeconds(1));

      assertThat(scene.store.refreshes).hasSizeBetween(2, HintLimit.MOST + 51);
    }
  }

  @Test
  void nor_one_that_hints_at_every_refresh_of_a_waiter() {
    AtomicReference<Runnable> wake = new AtomicReference<>(() -> {});
    try (Scene scene = Scene.on(store -> new HintsAtEveryRefresh(store, wake))) {
      scene.otherClient().acquireAsync("a", MUTEX, Request.FOR_EVER).join();
      scene.request("a", MUTEX);

      wake.get().run();
      scene.advance(Duration.ofSeconds(1));

      assertThat(scene.store.refreshes).hasSizeBetween(2, HintLimit.MOST + 51);
    }
  }

  private static final class HintsAtEveryRefresh extends ForwardingStore {
    private final AtomicReference<Runnable> wake;

    HintsAtEveryRefresh(LockStore inner, AtomicReference<Runnable> wake) {
      super(inner);
      this.wake = wake;
    }

    @Override
    public Registration observe(String lock, Runnable wake) {
      this.wake.set(wake);
      return super.observe(lock, wake);
    }

    @Override
    public CompletionStage<Map<Claim, Standing>> refresh(
        Collection<Claim> claims, Deadline deadline) {
      return super.refresh(claims, deadline).whenComplete((answers, failure) -> wake.get().run());
    }
  }
}
