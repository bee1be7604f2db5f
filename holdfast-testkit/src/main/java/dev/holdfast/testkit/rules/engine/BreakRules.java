package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** An operator breaks a lock, and its holder notices. */
public abstract class BreakRules extends EngineRules {

  /** A hint is followed within this time. */
  private static final Duration HINTED = Duration.ofMillis(50);

  @Test
  void a_holder_learns_of_a_break_at_once_where_the_store_tells_it() throws Exception {
    boolean notified = scene().traits().pushes() && scene().fixture().tellsHolders();
    LockOptions options = notified ? scene().lasting() : scene().brief();
    Lease lease = a.lock(name, options).acquire();
    scene().pass(HINTED); // so that no renewal that the grant itself has hinted at finds out

    assertThat(b.breakLock(name)).isTrue();

    assertLostInTime(lease, options, notified);
    assertThat(b.lock(name).tryAcquire()).isNotNull();
  }

  /** Before its next renewal where the store notifies it. */
  private void assertLostInTime(Lease lease, LockOptions options, boolean notified) {
    Duration took = scene().timeUntil("the lease is lost", () -> isLost(lease));
    if (notified) {
      assertThat(took)
          .as("from the break to the loss")
          .isLessThan(options.renewEvery().dividedBy(2));
    }
  }

  @Test
  void a_break_reaches_a_holder_whose_client_has_waiters_too() throws Exception {
    breakBesideWaiter(true);
  }

  @Test
  void a_break_reaches_a_holder_whose_client_waits_at_the_store_too() throws Exception {
    breakBesideWaiter(false);
  }

  private void breakBesideWaiter(boolean handOff) throws InterruptedException {
    boolean pushes = scene().traits().pushes();
    LockOptions options = (pushes ? scene().lasting() : scene().brief()).handOff(handOff);
    Lease first = a.lock(name, options).acquire();
    AtomicBoolean overlap = new AtomicBoolean();
    CompletableFuture<Lease> waiter =
        a.lock(name, options)
            .acquireAsync()
            .whenComplete((granted, failure) -> overlap.set(first.isValid()));
    if (!handOff) {
      awaitWaiter();
    }

    assertThat(b.breakLock(name)).isTrue();

    assertLostInTime(first, options, pushes);
    Lease second = scene().resultInTime(waiter);
    assertThat(overlap).as("both leases called themselves valid").isFalse();
    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(second.isValid()).isTrue();
    release(second);
  }

  /** Asks the store too: a look is late when the store is. */
  private boolean isLost(Lease lease) {
    b.inspect(name);
    return lease.state() == LeaseState.LOST;
  }

  @Test
  void a_break_by_token_ends_the_lease_that_has_it_and_no_later_one() throws Exception {
    Holdfast operator = scene().client();
    Lease first = a.lock(name).acquire();
    release(first);
    Lease second = b.lock(name).acquire();

    assertThat(operator.breakLock(name, first.token())).as("by the old token").isFalse();
    second.renew();
    assertThat(operator.inspect(name).isHeld()).isTrue();
    assertThat(operator.breakLock(name, second.token())).isTrue();

    assertThatThrownBy(second::renew).isInstanceOf(LeaseLostException.class);
    assertThat(operator.breakLock(name, second.token())).as("for the second time").isFalse();
    assertThatThrownBy(() -> operator.breakLock(name, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("token");
  }

  @Test
  void a_break_by_token_grants_the_next_waiter() throws Exception {
    Lease held = a.lock(name).acquire();
    CompletableFuture<Lease> waiter = b.lock(name).acquireAsync();
    awaitWaiter();

    assertThat(scene().client().breakLock(name, held.token())).isTrue();

    Lease next = scene().resultInTime(waiter);
    assertThat(next.token()).isGreaterThan(held.token());
    release(next);
  }
}
