package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.Traits;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of a hold, handing it to another thread, forgetting it, detaching it. */
class HoldExtrasTest {

  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void after_a_crash_the_claim_lives_no_longer_than_its_longest_hold() {
    LockSpec limited = LockSpec.mutex(OPTIONS.maxHold(ofSeconds(35)));
    scene.request("x", limited).join();
    scene.advance(ofSeconds(20)); // two renewals, then the process is gone
    Duration asked = lastRefreshed().ttl();
    assertThat(asked).isEqualTo(ofSeconds(15));
    assertThat(other.inspect("x").holders().get(0).remaining()).isEqualTo(ofSeconds(15));
  }

  @Test
  void a_lease_is_valid_only_for_the_life_that_was_asked_for() {
    LockSpec limited = LockSpec.mutex(OPTIONS.maxHold(ofSeconds(35)));
    Lease lease = scene.request("x", limited).join();
    scene.advance(ofSeconds(20));
    assertThat(lease.remaining()).isEqualTo(ofMillis(7500)); // 15 s less the margin
  }

  @Test
  void the_life_that_is_asked_for_is_rounded_up_to_what_the_store_can_keep() {
    Traits coarse =
        Traits.builder()
            .fair()
            .pushes()
            .allKinds()
            .ttl(ofSeconds(5), ofMinutes(10))
            .ttlResolution(ofSeconds(2))
            .build();
    try (Scene rounding =
        Scene.on(
            inner ->
                new ForwardingStore(inner) {
                  @Override
                  public Traits traits() {
                    return coarse;
                  }
                })) {
      rounding.request("x", LockSpec.mutex(OPTIONS.maxHold(ofMillis(35_300)))).join();
      rounding.advance(ofSeconds(20)); // 15.3 s are left
      assertThat(lastRefreshed(rounding).ttl()).isEqualTo(ofSeconds(16));
      Lease brief = rounding.request("y", LockSpec.mutex(OPTIONS.maxHold(ofSeconds(31)))).join();
      rounding.advance(ofSeconds(23)); // its loss is signalled 7.5 s before the end
      brief.renew(); // 8 s are left
      assertThat(lastRefreshed(rounding).ttl()).isEqualTo(ofSeconds(8));
    }
  }

  private static Claim lastRefreshed(Scene scene) {
    return scene.store.refreshes.get(scene.store.refreshes.size() - 1).iterator().next();
  }

  private Claim lastRefreshed() {
    return lastRefreshed(scene);
  }

  @Test
  void a_running_lease_can_be_given_other_limits() {
    LockSpec limited = LockSpec.mutex(OPTIONS.maxHold(ofSeconds(35)));
    Lease lease = scene.request("x", limited).join();
    scene.advance(ofSeconds(21));
    lease.extend(ofSeconds(60), ofSeconds(10));
    scene.advance(ofSeconds(40));
    assertThat(lease.isValid()).isTrue();
    scene.advance(ofSeconds(20));
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThatThrownBy(() -> lease.extend(null, Duration.ZERO))
        .isInstanceOf(LeaseLostException.class);

    Lease brief = scene.request("y", MUTEX).join();
    brief.extend(null, ofMinutes(5));
    brief.close();
    assertThat(other.inspect("y").isHeld()).isTrue();
    Lease again = scene.request("z", MUTEX).join();
    assertThatThrownBy(() -> again.extend(ofSeconds(40), ofSeconds(41)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_lease_that_was_handed_to_another_thread_is_not_entered_again() throws Exception {
    DistributedLock lock = scene.locks.mutex("x", OPTIONS);
    Lease lease = lock.acquire();
    lease.unbind();
    assertThat(lock.tryAcquire()).isNull();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(lease.isValid()).isTrue();
    lease.close();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_nested_lease_has_its_own_min_hold_if_that_is_longer() throws Exception {
    Lease outer = scene.locks.mutex("x", OPTIONS).acquire();
    Lease inner = scene.locks.mutex("x", OPTIONS.minHold(ofMinutes(10))).acquire();
    inner.close();
    outer.close();
    assertThat(other.inspect("x").isHeld()).isTrue();
    scene.advance(ofMinutes(10));
    assertThat(other.inspect("x").isHeld()).isFalse();
  }

  @Test
  void a_nested_lease_runs_on_the_ttl_and_the_max_hold_of_the_outer_one() throws Exception {
    Lease outer = scene.locks.mutex("x", OPTIONS.maxHold(ofSeconds(60))).acquire();
    Lease inner =
        scene.locks.mutex("x", OPTIONS.ttl(ofMinutes(10)).maxHold(ofMinutes(30))).acquire();
    assertThat(inner.remaining()).isEqualTo(outer.remaining());
    scene.advance(ofSeconds(10)); // a renewal
    assertThat(lastRefreshed().ttl()).isEqualTo(OPTIONS.ttl());
    scene.advance(ofMillis(42_499));
    assertThat(inner.isValid()).isTrue();
    scene.advance(ofMillis(1)); // the margin before the 60 s
    assertThat(inner.isValid()).isFalse();

    Lease endless = scene.locks.mutex("y", OPTIONS).acquire();
    Lease nested = scene.locks.mutex("y", OPTIONS.maxHold(ofSeconds(40))).acquire();
    scene.advance(ofMinutes(10));
    assertThat(nested.isValid()).isTrue();
    assertThat(endless.isValid()).isTrue();
  }

  @Test
  void a_detached_lease_keeps_its_shortest_and_longest_hold() {
    LockSpec job = LockSpec.mutex(OPTIONS.minHold(ofMinutes(5)).maxHold(ofMinutes(10)));
    LeaseHandle handle = scene.request("x", job).join().detach();
    Lease resumed = other.attach(LeaseHandle.parse(handle.secret()), OPTIONS);
    scene.advance(ofMinutes(9));
    assertThat(resumed.isValid()).isTrue();
    scene.advance(ofMinutes(1));
    assertThat(resumed.isValid()).isFalse();

    Lease second = other.attach(scene.request("y", job).join().detach(), OPTIONS);
    second.close();
    assertThat(scene.engine.inspect("y").isHeld()).isTrue();
  }

  @Test
  void an_asynchronous_lease_that_nobody_has_any_more_frees_its_lock() {
    try (Logs.Recording logs = Logs.record()) {
      CompletableFuture<Lease> dropped = scene.request("x", MUTEX);
      dropped.join();
      dropped = null;
      await()
          .until(
              () -> {
                System.gc();
                scene.advance(ofSeconds(10)); // a renewal
                return !other.inspect("x").isHeld();
              });
      assertThat(logs.atLeast(Level.WARNING))
          .anyMatch(line -> line.contains("'x'") && line.contains("was never closed"));
    }
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void one_that_somebody_waits_to_lose_or_still_has_is_renewed() throws Exception {
    Lease kept = scene.request("kept", MUTEX).join();
    scene.request("listened", MUTEX).join().onLost(() -> {});
    scene.engine.acquire("threads", MUTEX, Request.FOR_EVER, true); // its thread lives
    for (int i = 0; i < 20; i++) {
      System.gc();
      scene.advance(ofSeconds(10));
    }
    assertThat(kept.isValid()).isTrue();
    assertThat(other.inspect("listened").isHeld()).isTrue();
    assertThat(other.inspect("threads").isHeld()).isTrue();
  }

  @Test
  void a_raised_floor_holds_for_claims_that_already_wait() {
    Lease held = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    long floor = 9_000_000_000_000_000L;
    scene.engine.floors().force("x", floor);
    held.close();
    assertThat(waiting.join().token()).isGreaterThan(floor);
  }

  @Test
  void a_lease_that_ended_with_its_client_is_released_and_not_called_lost() throws Exception {
    try (Logs.Recording logs = Logs.record()) {
      Lease lease = scene.locks.mutex("x", OPTIONS).acquire();
      scene.engine.close();
      assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
      lease.close();
      assertThat(logs.atLeast(Level.WARNING)).isEmpty();
    }
  }
}
