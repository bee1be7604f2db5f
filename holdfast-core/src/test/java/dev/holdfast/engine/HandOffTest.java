package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Slice;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandOffTest {

  private static final Duration A_SLICE = Duration.ofNanos(Slice.NANOS);

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  /** Passes the lock on although others wait. */
  private static final LockSpec THROUGHPUT = LockSpec.mutex(OPTIONS.handOff(A_SLICE));

  private List<CompletableFuture<Lease>> requests(int count, LockSpec spec) {
    List<CompletableFuture<Lease>> result = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      result.add(scene.request("x", spec));
    }
    return result;
  }

  @Test
  void an_uncontended_lock_costs_one_join_and_one_leave() throws Exception {
    for (int i = 1; i <= 10; i++) {
      scene.advance(OPTIONS.keepIdle().plusMillis(1)); // it does not come back soon
      scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true).close();
      assertThat(scene.store.joins).hasSize(i);
      assertThat(scene.store.leaves).hasValue(i);
      assertThat(scene.store.refreshes).isEmpty();
    }
  }

  @Test
  void no_spare_tokens_are_asked_for_when_nobody_waits() {
    Lease lease = scene.request("x", MUTEX).join();
    scene.advance(Duration.ofMinutes(2)); // many renewals
    lease.close();
    assertThat(scene.store.joins).allMatch(claim -> claim.spares() == 0);
    assertThat(scene.store.refreshes).hasSizeGreaterThan(5);
    assertThat(scene.store.refreshes.stream().flatMap(Collection::stream))
        .allMatch(claim -> claim.spares() == 0);
  }

  /** So that the claim of the first of these requests comes with a token for each other one. */
  private List<CompletableFuture<Lease>> contended(int count, LockSpec spec) {
    Lease theirs = scene.otherClient().acquireAsync("x", spec, Request.FOR_EVER).join();
    List<CompletableFuture<Lease>> ours = requests(count, spec);
    theirs.close();
    scene.store.joins.clear();
    scene.store.refreshes.clear();
    return ours;
  }

  @Test
  void a_hundred_waiters_of_one_client_cost_two_claims() {
    List<CompletableFuture<Lease>> all = requests(100, MUTEX);
    List<Long> tokens = new ArrayList<>();
    for (CompletableFuture<Lease> each : all) {
      assertThat(each).isCompleted(); // in the order of the requests
      tokens.add(each.join().token());
      each.join().close();
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    assertThat(scene.store.joins).hasSize(2); // the first came alone, without a token to hand off
    assertThat(scene.store.refreshes).hasSize(1); // that its turn had come
    scene.endIdleClaims();
    assertThat(scene.store.leaves).hasValue(2);
  }

  @Test
  void as_many_spares_are_asked_for_as_others_wait_here() {
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    requests(5, MUTEX);
    theirs.close(); // the store wakes us
    assertThat(lastRefreshed().spares()).isEqualTo(4);
  }

  @Test
  void a_slice_asks_for_as_many_spares_as_the_last_one_used() {
    requests(50, MUTEX).forEach(each -> each.join().close());
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    List<CompletableFuture<Lease>> two = requests(2, MUTEX);
    theirs.close();
    two.forEach(each -> each.join().close());
    assertThat(lastRefreshed().spares()).isBetween(1, Slice.PASSES);
  }

  @Test
  void a_slice_ends_when_another_client_wants_the_lock() {
    List<CompletableFuture<Lease>> ours = contended(3, MUTEX);
    Lease holding = ours.get(0).join();
    CompletableFuture<Lease> theirs =
        scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    holding.close();
    assertThat(theirs).isCompleted();
    assertThat(ours.get(1)).isNotDone();
    theirs.join().close();
    assertThat(ours.get(1)).isCompleted();
    ours.get(1).join().close();
    assertThat(ours.get(2)).isCompleted();
  }

  @Test
  void while_nobody_else_waits_one_slice_follows_the_other() {
    List<CompletableFuture<Lease>> ours = contended(30, MUTEX);
    for (CompletableFuture<Lease> each : ours) {
      assertThat(each).isCompleted();
      scene.advance(A_SLICE.dividedBy(4));
      each.join().close();
    }
    assertThat(scene.store.joins).isEmpty();
    assertThat(scene.store.refreshes).hasSizeBetween(7, 9);
  }

  @Test
  void where_the_store_cannot_notify_the_holder_the_claim_leaves_at_the_end_of_a_slice() {
    try (Scene silent = Scene.on(CannotTell::new)) {
      List<CompletableFuture<Lease>> ours = new ArrayList<>();
      Lease before = silent.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      for (int i = 0; i < 3; i++) {
        ours.add(silent.request("x", MUTEX));
      }
      before.close();
      CompletableFuture<Lease> theirs =
          silent.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      ours.get(0).join().close();
      assertThat(ours.get(1)).isCompleted();
      silent.advance(A_SLICE);
      ours.get(1).join().close();
      assertThat(theirs).isCompleted();
      assertThat(ours.get(2)).isNotDone();
    }
  }

  private Claim lastRefreshed() {
    return scene.store.refreshes.get(scene.store.refreshes.size() - 1).iterator().next();
  }

  @Test
  void after_a_slice_of_time_the_store_decides_again() {
    List<CompletableFuture<Lease>> ours = contended(3, THROUGHPUT);
    Lease holding = ours.get(0).join();
    CompletableFuture<Lease> theirs =
        scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    CompletableFuture<Lease> within = ours.get(1);
    scene.advance(A_SLICE.minusNanos(1));
    holding.close();
    assertThat(within).isCompleted(); // barely
    CompletableFuture<Lease> after = ours.get(2);
    scene.advance(Duration.ofNanos(1));
    within.join().close();
    assertThat(theirs).isCompleted();
    assertThat(after).isNotDone();
    theirs.join().close();
    assertThat(after).isCompleted();
  }

  @Test
  void after_that_many_passes_the_store_decides_again() {
    List<CompletableFuture<Lease>> ours = contended(Slice.PASSES + 100, THROUGHPUT);
    CompletableFuture<Lease> theirs =
        scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    int served = 0;
    while (!theirs.isDone()) {
      ours.get(served++).join().close();
    }
    assertThat(served).isEqualTo(Slice.PASSES + 1);
    theirs.join().close();
    ours.subList(served, ours.size()).forEach(each -> each.join().close());
    scene.endIdleClaims();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void at_the_end_of_a_slice_the_waiters_join_the_queue_of_the_store() {
    contended(2, THROUGHPUT);
    scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    assertThat(scene.store.joins).isEmpty();
    scene.advance(A_SLICE);
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.engine.inspect("x").waiters()).hasSize(2);
  }

  @Test
  void a_lock_without_hand_off_asks_the_store_each_time() {
    LockSpec alone = LockSpec.mutex(OPTIONS.handOff(false));
    List<CompletableFuture<Lease>> all = requests(3, alone);
    all.forEach(each -> each.join().close());
    assertThat(scene.store.joins).hasSize(3);
    assertThat(scene.store.leaves).hasValue(3);
  }

  /** The store reports when its turn comes; until then a refresh says nothing new. */
  @Test
  void a_claim_behind_that_of_another_client_is_not_refreshed_when_its_own_client_releases() {
    LockSpec alone = LockSpec.mutex(OPTIONS.handOff(false));
    Lease first = scene.request("x", alone).join();
    CompletableFuture<Lease> theirs =
        scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    CompletableFuture<Lease> second = scene.request("x", alone);

    first.close();

    assertThat(theirs).isCompleted();
    assertThat(scene.store.refreshes).isEmpty();
    theirs.join().close();
    assertThat(second).isCompleted();
    assertThat(scene.store.refreshes).hasSize(1);
  }

  @Test
  void a_claim_is_not_handed_off_to_a_request_with_another_ttl_or_label() {
    for (LockSpec other :
        List.of(
            LockSpec.mutex(OPTIONS.ttl(Duration.ofSeconds(31))),
            LockSpec.mutex(OPTIONS.label("other")),
            LockSpec.mutex(OPTIONS.handOff(false)))) {
      int before = scene.store.joins.size();
      Lease first = scene.request("x", MUTEX).join();
      CompletableFuture<Lease> second = scene.request("x", other);
      first.close();
      second.join().close();
      assertThat(scene.store.joins).hasSize(before + 2);
    }
  }

  @Test
  void a_claim_is_not_passed_on_when_less_than_half_of_its_validity_is_left() {
    LockSpec brief = LockSpec.mutex(OPTIONS.ttl(Duration.ofMillis(100))); // valid for 75 ms
    List<CompletableFuture<Lease>> ours = contended(2, brief);
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    CompletableFuture<Lease> second = ours.get(1);
    scene.advance(Duration.ofMillis(40)); // 35 ms are left
    ours.get(0).join().close();
    assertThat(second).isCompleted();
    assertThat(scene.store.joins).hasSize(1);
    assertThat(second.join().remaining()).isEqualTo(Duration.ofMillis(75));
  }

  @Test
  void without_spare_tokens_the_claim_leaves_and_the_next_one_joins() {
    Lease first = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> second = scene.request("x", MUTEX);
    assertThat(scene.store.joins).hasSize(2); // it stands in the store's queue already
    first.close();
    assertThat(second).isCompleted();
    assertThat(second.join().token()).isGreaterThan(first.token());
  }

  @Test
  void no_refresh_asks_for_tokens_by_itself() {
    List<CompletableFuture<Lease>> ours = contended(3, MUTEX);
    requests(3, MUTEX);
    ours.get(0).join();
    scene.advance(Duration.ofSeconds(3)); // before the first renewal of any claim
    assertThat(scene.store.refreshes).isEmpty();
  }
}
