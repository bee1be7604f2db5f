package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.StoreException;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class KeeperTest {

  /** Fails every batch that has a certain lock in it. */
  private static final class OneBadRow extends ForwardingStore {
    OneBadRow(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<Map<Claim, Standing>> refresh(
        Collection<Claim> claims, Deadline deadline) {
      return claims.stream().anyMatch(claim -> claim.lock().equals("bad"))
          ? CompletableFuture.failedStage(new StoreException("", "a row is damaged"))
          : super.refresh(claims, deadline);
    }
  }

  /** Renews all by one request. */
  private static final class OneForAll extends ForwardingStore {
    OneForAll(LockStore inner) {
      super(inner);
    }

    @Override
    public int refreshBatch() {
      return Integer.MAX_VALUE;
    }
  }

  private static List<Lease> acquire(Scene scene, int count) {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leases.add(scene.request("good/" + i, MUTEX).join());
    }
    return leases;
  }

  @Test
  void leases_are_renewed_together() {
    try (Scene scene = Scene.plain()) {
      acquire(scene, 100);
      scene.advance(ofSeconds(30));
      assertThat(scene.store.refreshes).hasSize(3).allMatch(batch -> batch.size() == 100);
    }
  }

  @Test
  void leases_taken_at_different_times_soon_renew_together() {
    try (Scene scene = Scene.plain()) {
      for (Lease lease : acquire(scene, 1)) {
        assertThat(lease.isValid()).isTrue();
      }
      scene.advance(ofSeconds(1));
      scene.request("later", MUTEX).join();
      scene.advance(ofSeconds(29));
      assertThat(scene.store.refreshes).hasSize(3).allMatch(batch -> batch.size() == 2);
    }
  }

  @Test
  void a_batch_is_bounded() {
    try (Scene scene = Scene.plain()) {
      List<Lease> leases = acquire(scene, 600);
      scene.advance(ofSeconds(10));
      assertThat(scene.store.refreshes).hasSize(3).allMatch(batch -> batch.size() <= 256);
      assertThat(leases).allMatch(Lease::isValid);
    }
  }

  @Test
  void a_store_that_renews_all_by_one_request_gets_them_all_at_once() {
    try (Scene scene = Scene.on(OneForAll::new)) {
      List<Lease> leases = acquire(scene, 600);
      scene.advance(ofSeconds(10));
      assertThat(scene.store.refreshes).hasSize(1).allMatch(batch -> batch.size() == 600);
      assertThat(leases).allMatch(Lease::isValid);
    }
  }

  @Test
  void each_claim_is_refreshed_once_in_each_period() {
    try (Scene scene = Scene.plain()) {
      acquire(scene, 300);
      scene.advance(ofSeconds(10));
      List<Claim> refreshed = scene.store.refreshes.stream().flatMap(Collection::stream).toList();
      assertThat(refreshed).hasSize(300).doesNotHaveDuplicates();
    }
  }

  @RepeatedTest(5) // the order within a batch is left to chance
  void one_bad_claim_does_not_take_its_neighbours_with_it() {
    try (Scene scene = Scene.on(OneBadRow::new)) {
      Lease bad = scene.request("bad", MUTEX).join();
      List<Lease> good = acquire(scene, 300);
      scene.advance(ofSeconds(60));
      assertThat(bad.state()).isEqualTo(LeaseState.LOST);
      assertThat(good).filteredOn(lease -> !lease.isValid()).isEmpty();
    }
  }

  @Test
  void a_waiter_is_refreshed_more_often_than_a_holder_because_it_lives_shorter() {
    try (Scene scene = Scene.plain()) {
      scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
      scene.advance(Duration.ofMinutes(1));
      assertThat(waiting).isNotDone();
      assertThat(scene.store.refreshes).hasSizeBetween(18, 24); // every third of 10 s
      assertThat(scene.engine.inspect("x").waiters()).hasSize(1);
    }
  }

  @Test
  void a_waiter_whose_claim_died_joins_again() {
    try (Scene scene = Scene.plain()) {
      Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
      scene.faults.set(SilentStore.Verb.REFRESH, SilentStore.Manner.IGNORES);
      scene.advance(ofSeconds(11)); // dead in the store
      scene.faults.set(SilentStore.Verb.REFRESH, SilentStore.Manner.ANSWERS);
      scene.advance(ofSeconds(4));
      theirs.close();
      assertThat(waiting).isCompleted();
      assertThat(scene.store.joins).hasSize(2);
    }
  }
}
