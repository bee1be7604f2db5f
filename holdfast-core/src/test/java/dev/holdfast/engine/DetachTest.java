package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DetachTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_detached_lease_is_over_here_and_still_held_in_the_store() {
    Lease lease = scene.request("x", MUTEX).join();
    lease.detach();
    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(scene.engine.names()).isZero();
    assertThat(scene.engine.inspect("x").isHeld()).isTrue();
    lease.close();
    assertThat(scene.store.leaves).hasValue(0);
  }

  @Test
  void a_lease_is_resumed_although_less_than_its_ttl_is_left_of_its_longest_hold() {
    LockSpec limited = LockSpec.mutex(OPTIONS.maxHold(OPTIONS.ttl()));
    LeaseHandle handle = scene.request("x", limited).join().detach();
    scene.advance(Duration.ofSeconds(1));
    assertThat(scene.otherClient().attach(handle, OPTIONS).isValid()).isTrue();
  }

  @Test
  void a_token_that_was_not_reserved_for_the_claim_is_refused_and_raises_nothing() {
    Lease lease = scene.request("x", MUTEX).join();
    LeaseHandle handle = lease.detach();
    String token = "." + lease.token() + ".";
    for (long altered : new long[] {1, lease.token() - 1, lease.token() + 1, Tokens.MAX}) {
      LeaseHandle forged = LeaseHandle.parse(handle.secret().replace(token, "." + altered + "."));
      assertThatThrownBy(() -> scene.otherClient().attach(forged, OPTIONS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("token (" + altered + ")")
          .hasMessageNotContaining(handle.claimId());
    }
    Lease resumed = scene.otherClient().attach(handle, OPTIONS);
    assertThat(resumed.token()).isEqualTo(lease.token());
    assertThat(scene.request("y", MUTEX).join().token()).isLessThan(lease.token() + 1_000);
  }

  @Test
  void a_ttl_that_the_store_does_not_take_is_refused() {
    LeaseHandle handle = scene.request("x", MUTEX).join().detach();
    String ttl = "." + OPTIONS.ttl().toMillis() + ".";
    LeaseHandle forged =
        LeaseHandle.parse(handle.secret().replace(ttl, "." + Duration.ofDays(2).toMillis() + "."));
    try (Scene tied = Scene.on(Tied::new)) {
      assertThatThrownBy(() -> tied.engine.attach(forged, OPTIONS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("ttl (PT48H) is outside what");
    }
  }

  @Test
  void another_client_resumes_it_with_the_same_token_and_owner() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.advance(ofSeconds(5));
    LeaseHandle handle = LeaseHandle.parse(lease.detach().secret());
    scene.advance(ofSeconds(25));
    Lease resumed = scene.otherClient().attach(handle, OPTIONS);
    assertThat(resumed.token()).isEqualTo(lease.token());
    assertThat(resumed.owner()).isEqualTo(lease.owner());
    assertThat(resumed.remaining()).isEqualTo(OPTIONS.validFor());
    scene.advance(Duration.ofMinutes(5)); // it is renewed again
    assertThat(resumed.state()).isEqualTo(LeaseState.HELD);
    assertThat(resumed.release()).isTrue();
    assertThat(scene.engine.inspect("x").isHeld()).isFalse();
  }

  @Test
  void detaching_renews_first_so_that_there_is_a_whole_ttl_to_resume_it() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.advance(ofSeconds(9));
    lease.detach();
    assertThat(scene.engine.inspect("x").holders().get(0).remaining()).isEqualTo(OPTIONS.ttl());
  }

  @Test
  void it_is_not_renewed_while_nobody_has_it() {
    Lease lease = scene.request("x", MUTEX).join();
    LeaseHandle handle = lease.detach();
    int before = scene.store.refreshes.size();
    scene.advance(OPTIONS.ttl());
    assertThat(scene.store.refreshes).hasSize(before);
    assertThatThrownBy(() -> scene.engine.attach(handle, OPTIONS))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'x' (token " + handle.token() + ") has ended meanwhile")
        .hasMessageNotContaining(handle.claimId());
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_lease_that_was_passed_on_is_resumed_with_its_own_token() {
    Lease first = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> second = scene.request("x", MUTEX);
    first.close();
    LeaseHandle handle = second.join().detach();
    Lease resumed = scene.otherClient().attach(handle, OPTIONS);
    assertThat(resumed.token()).isEqualTo(second.join().token()).isGreaterThan(first.token());
  }

  @Test
  void a_waiter_of_this_client_queues_behind_the_detached_lease() {
    Lease lease = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> next = scene.request("x", MUTEX);
    LeaseHandle handle = lease.detach();
    assertThat(next).isNotDone();
    scene.otherClient().attach(handle, OPTIONS).close();
    assertThat(next).isCompleted();
    assertThat(next.join().token()).isGreaterThan(handle.token());
  }

  @Test
  void a_nested_lease_cannot_be_detached() throws Exception {
    Lease outer = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
    Lease inner = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
    assertThatThrownBy(outer::detach)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the lease on 'x' is nested or shared; only a lone one can be detached");
    assertThat(outer.isValid()).isTrue();
    assertThat(inner.isValid()).isTrue();
  }

  @Test
  void a_shared_lease_cannot_be_detached() {
    Lease one = scene.request("x", Scene.READ).join();
    Lease two = scene.request("x", Scene.READ).join();
    assertThatThrownBy(one::detach)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("READ_WRITE");
    assertThat(two.isValid()).isTrue();
  }

  @Test
  void a_lost_lease_cannot_be_detached() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.otherClient().evict("x", LockStore.ANY_TOKEN);
    assertThatThrownBy(lease::detach).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void without_an_answer_nothing_is_detached() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.faults.set(Verb.REFRESH, Manner.FAILS);
    assertThatThrownBy(lease::detach).isInstanceOf(StoreException.class);
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
  }

  @Test
  void without_an_answer_it_is_unknown_whether_it_can_be_resumed() {
    LeaseHandle handle = scene.request("x", MUTEX).join().detach();
    scene.faults.set(Verb.REFRESH, Manner.FAILS);
    assertThatThrownBy(() -> scene.engine.attach(handle, OPTIONS))
        .isInstanceOf(StoreException.class)
        .hasMessageNotContaining(handle.claimId());
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
    assertThat(scene.engine.attach(handle, OPTIONS).isValid()).isTrue();
  }

  @Test
  void a_store_that_ties_a_lease_to_its_connection_refuses() {
    try (Scene tied = Scene.on(Tied::new)) {
      Lease lease = tied.request("x", MUTEX).join();
      assertThatThrownBy(lease::detach)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage("memory: ties a lease to its connection; it cannot be resumed elsewhere");
      assertThat(lease.isValid()).isTrue();
    }
  }

  private static final class Tied extends ForwardingStore {
    Tied(LockStore inner) {
      super(inner);
    }

    @Override
    public Traits traits() {
      return Traits.builder().build();
    }
  }
}
