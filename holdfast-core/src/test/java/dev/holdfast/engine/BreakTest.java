package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseState;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A break reaches every claim of the client. */
class BreakTest {

  @Test
  void a_holder_learns_of_it_though_others_of_its_client_wait() {
    try (Scene scene = Scene.plain()) {
      Lease first = scene.request("x", MUTEX).join();
      CompletableFuture<Lease> second = scene.request("x", MUTEX);
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofMillis(1));
      assertThat(first.state()).isEqualTo(LeaseState.LOST);
      assertThat(second.join().isValid()).isTrue();
    }
  }

  @Test
  void a_later_grant_ends_the_earlier_one_though_its_own_refresh_is_not_answered() {
    LockSpec alone = LockSpec.mutex(OPTIONS.handOff(false));
    try (Scene scene = Scene.plain()) {
      Lease first = scene.request("x", alone).join();
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(ofSeconds(10)); // a renewal is under way
      CompletableFuture<Lease> second = scene.request("x", alone);
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      assertThat(second.join().isValid()).isTrue();
      assertThat(first.state()).isEqualTo(LeaseState.LOST);
    }
  }

  @Test
  void a_grant_that_is_answered_after_a_later_one_is_not_used() {
    LockSpec alone = LockSpec.mutex(OPTIONS.handOff(false));
    try (Scene scene = Scene.plain()) {
      Engine other = scene.otherClient();
      Lease theirs = other.acquireAsync("x", alone, Request.FOR_EVER).join();
      CompletableFuture<Lease> ours = scene.request("x", alone);
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      theirs.close(); // ours is granted, and that answer is late
      other.evict("x", LockStore.ANY_TOKEN);
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      LeaseHandle handle = other.acquireAsync("x", alone, Request.FOR_EVER).join().detach();
      Lease later = scene.engine.attach(handle, OPTIONS);
      scene.faults.answer();
      assertThat(later.isValid()).isTrue();
      assertThat(ours).isNotDone();
      later.close();
      assertThat(ours.join().token()).isGreaterThan(later.token());
    }
  }

  @Test
  void a_break_while_the_answer_to_a_join_is_on_its_way_is_not_missed() {
    Engine[] operator = new Engine[1];
    try (Scene scene =
        Scene.on(
            inner ->
                new ForwardingStore(inner) {
                  @Override
                  public CompletionStage<JoinAnswer> join(
                      Claim claim, boolean wait, Deadline deadline) {
                    CompletionStage<JoinAnswer> answer = super.join(claim, wait, deadline);
                    operator[0].evict("x", LockStore.ANY_TOKEN);
                    return answer;
                  }
                })) {
      operator[0] = scene.otherClient();
      Lease broken = scene.request("x", MUTEX).join();
      Lease other = operator[0].acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      scene.advance(ofMillis(1));
      assertThat(broken.state()).isEqualTo(LeaseState.LOST);
      assertThat(other.isValid()).isTrue();
    }
  }

  @Test
  void by_token_only_the_claim_that_was_meant_is_ended() {
    try (Scene scene = Scene.plain()) {
      Lease first = scene.request("x", MUTEX).join();
      first.close();
      Lease second = scene.request("x", MUTEX).join();
      assertThat(scene.otherClient().evict("x", first.token())).isFalse();
      assertThat(second.isValid()).isTrue();
      assertThat(scene.otherClient().evict("x", second.token())).isTrue();
      scene.advance(ofMillis(1));
      assertThat(second.state()).isEqualTo(LeaseState.LOST);
    }
  }
}
