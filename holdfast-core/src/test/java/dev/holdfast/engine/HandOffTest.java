package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandOffTest {

  private static final Duration A_SLICE = Duration.ofNanos(Tenure.SLICE_NANOS);

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

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
      new EngineLease(scene.engine.acquire("x", MUTEX, null, true), MUTEX).close();
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

  @Test
  void a_hundred_who_wait_in_one_client_cost_three_calls() {
    List<CompletableFuture<Lease>> all = requests(100, MUTEX);
    List<Long> tokens = new ArrayList<>();
    for (CompletableFuture<Lease> each : all) {
      assertThat(each).isCompleted(); // in the order of the requests
      tokens.add(each.join().token());
      each.join().close();
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.store.refreshes).hasSize(1);
    assertThat(scene.store.leaves).hasValue(1);
  }

  @Test
  void as_many_spares_are_asked_for_as_others_wait_here() {
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, null).join();
    requests(5, MUTEX);
    theirs.close(); // the store wakes us
    assertThat(lastRefreshed().spares()).isEqualTo(4);
  }

  @Test
  void a_slice_asks_for_as_many_spares_as_the_last_one_used() {
    requests(50, MUTEX).forEach(each -> each.join().close());
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, null).join();
    List<CompletableFuture<Lease>> two = requests(2, MUTEX);
    theirs.close();
    two.forEach(each -> each.join().close());
    assertThat(lastRefreshed().spares()).isBetween(1, Tenure.SLICE_PASSES);
  }

  private Claim lastRefreshed() {
    return scene.store.refreshes.get(scene.store.refreshes.size() - 1).iterator().next();
  }

  @Test
  void after_a_slice_of_time_the_store_decides_again() {
    Lease holding = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> theirs = scene.otherClient().acquireAsync("x", MUTEX, null);
    CompletableFuture<Lease> within = scene.request("x", MUTEX);
    scene.advance(A_SLICE.minusNanos(1));
    holding.close();
    assertThat(within).isCompleted(); // barely
    CompletableFuture<Lease> after = scene.request("x", MUTEX);
    scene.advance(Duration.ofNanos(1));
    within.join().close();
    assertThat(theirs).isCompleted();
    assertThat(after).isNotDone();
    theirs.join().close();
    assertThat(after).isCompleted();
  }

  @Test
  void after_so_many_passes_the_store_decides_again() {
    List<CompletableFuture<Lease>> ours = requests(Tenure.SLICE_PASSES + 100, MUTEX);
    CompletableFuture<Lease> theirs = scene.otherClient().acquireAsync("x", MUTEX, null);
    int served = 0;
    while (!theirs.isDone()) {
      ours.get(served++).join().close();
    }
    assertThat(served).isEqualTo(Tenure.SLICE_PASSES + 1);
    theirs.join().close();
    ours.subList(served, ours.size()).forEach(each -> each.join().close());
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void at_the_end_of_a_slice_those_who_wait_join_the_queue_of_the_store() {
    scene.request("x", MUTEX).join();
    scene.request("x", MUTEX);
    assertThat(scene.store.joins).hasSize(1);
    scene.advance(A_SLICE);
    assertThat(scene.store.joins).hasSize(2);
    assertThat(scene.engine.inspect("x").waiters()).hasSize(1);
  }

  @Test
  void whoever_turns_hand_off_off_asks_the_store_each_time() {
    LockSpec alone = LockSpec.mutex(OPTIONS.handOff(false));
    List<CompletableFuture<Lease>> all = requests(3, alone);
    all.forEach(each -> each.join().close());
    assertThat(scene.store.joins).hasSize(3);
    assertThat(scene.store.leaves).hasValue(3);
  }

  @Test
  void a_claim_is_not_passed_on_to_whoever_wants_another_ttl_or_label() {
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
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    Lease first = scene.request("x", brief).join();
    CompletableFuture<Lease> second = scene.request("x", brief);
    scene.advance(Duration.ofMillis(40)); // 35 ms are left
    first.close();
    assertThat(second).isCompleted();
    assertThat(scene.store.joins).hasSize(2);
    assertThat(second.join().remaining()).isEqualTo(Duration.ofMillis(75));
  }

  @Test
  void without_spare_tokens_the_claim_leaves_and_the_next_one_joins() {
    scene.faults.set(Verb.REFRESH, Manner.FAILS);
    Lease first = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> second = scene.request("x", MUTEX);
    first.close();
    assertThat(second).isCompleted();
    assertThat(second.join().token()).isGreaterThan(first.token());
    assertThat(scene.store.joins).hasSize(2);
  }

  @Test
  void while_the_store_is_slow_with_spare_tokens_nobody_runs() {
    Lease first = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> second = scene.request("x", MUTEX);
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
    first.close();
    assertThat(second).isNotDone();
    scene.faults.answer();
    assertThat(second).isCompleted();
    assertThat(second.join().token()).isGreaterThan(first.token());
  }

  @Test
  void a_claim_whose_tokens_never_come_is_given_up_in_the_end_and_the_waiter_gets_in() {
    Lease first = scene.request("x", MUTEX).join();
    CompletableFuture<Lease> second = scene.request("x", MUTEX);
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    first.close();
    assertThat(second).isNotDone();
    scene.advance(OPTIONS.validFor());
    assertThat(scene.store.joins).hasSize(2);
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
    scene.advance(OPTIONS.ttl());
    assertThat(second).isCompleted();
    assertThat(second.join().token()).isGreaterThan(first.token());
  }
}
