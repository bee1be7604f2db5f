package dev.holdfast.engine;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockEvent;
import dev.holdfast.LockEvent.Type;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a hold ends, and that one end is not taken for another. */
class EndsTest {

  private final Clients clients = Clients.on(Unhinted::new);

  @AfterEach
  void close() {
    clients.close();
  }

  private long told(Type type) {
    return clients.events.stream().filter(event -> event.type() == type).count();
  }

  @Test
  void a_lease_that_was_lost_stays_lost_when_its_client_closes() throws Exception {
    Lease lease = clients.client.lock("x").acquire();
    clients.ticker.jumpWall(ofSeconds(31)); // the machine slept, and no timer has noticed yet
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    clients.client.close();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(told(Type.LOST)).isEqualTo(1);
    assertThat(told(Type.RELEASED)).isZero();
  }

  @Test
  void a_loss_under_a_task_is_reported_though_the_task_closes_the_client() {
    assertThatThrownBy(
            () ->
                clients
                    .client
                    .lock("x")
                    .run(
                        () -> {
                          clients.ticker.jumpWall(ofSeconds(31));
                          clients.client.close();
                        }))
        .isInstanceOf(LeaseLostException.class);
  }

  @Test
  void a_lock_that_the_end_of_the_client_no_longer_finds_was_lost() {
    assertThatThrownBy(
            () ->
                clients
                    .client
                    .lock("x")
                    .run(
                        () -> {
                          clients.other.breakLock("x");
                          clients.client.close();
                        }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(told(Type.LOST)).isEqualTo(1);
    assertThat(told(Type.RELEASED)).isZero();
  }

  @Test
  void a_loss_that_the_release_finds_out_about_runs_the_actions_for_it() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Lease lease = clients.client.lock("x").acquire();
    lease.onLost(runs::incrementAndGet);
    clients.other.breakLock("x");
    assertThat(lease.release()).isFalse();
    assertThat(runs).hasValue(1);
  }

  @Test
  void a_lease_that_is_closed_changes_no_limits_of_the_outer_one() throws Exception {
    LockOptions options = LockOptions.defaults().maxHold(ofSeconds(60));
    Lease outer = clients.client.lock("x", options).acquire();
    Lease inner = clients.client.lock("x", options).acquire();
    inner.close();
    assertThatThrownBy(() -> inner.extend(null, ZERO)).isInstanceOf(LeaseLostException.class);
    inner.unbind();
    Lease again = clients.client.lock("x", options).tryAcquire();
    assertThat(again.token()).isEqualTo(outer.token()); // the thread may still enter
    clients.advance(ofSeconds(60));
    assertThat(outer.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void a_release_answers_for_its_own_hold_and_not_for_the_next_one() throws Exception {
    Lease first = clients.client.lock("x").acquire();
    CompletableFuture<Lease> second = clients.client.lock("x").acquireAsync();
    CompletableFuture<Lease> third = clients.client.lock("x").acquireAsync();
    first.close(); // asks for spare tokens with the next join
    Lease passed = second.join();
    clients.faults.set(Verb.LEAVE, Manner.IGNORES);
    var unused =
        third.thenAccept(lease -> lease.releaseAsync()); // while the hand-off is carried out
    assertThat(passed.release()).isTrue();
  }

  @Test
  void a_leave_that_is_repeated_lets_the_lock_linger_no_longer_than_was_asked() throws Exception {
    LockOptions options = LockOptions.defaults().minHold(ofSeconds(20));
    Lease lease = clients.client.lock("x", options).acquire();
    clients.faults.set(Verb.LEAVE, Manner.IGNORES);
    var unused = lease.releaseAsync();
    clients.advance(ofSeconds(15));
    clients.faults.setAll(Manner.ANSWERS);
    clients.advance(ofSeconds(6));
    assertThat(clients.other.inspect("x").isHeld()).isFalse();
  }

  @Test
  void a_lease_lost_by_its_max_hold_keeps_the_lock_taken_for_its_min_hold_though_it_is_closed()
      throws Exception {
    LockOptions options = LockOptions.defaults().minHold(ofSeconds(40)).maxHold(ofSeconds(40));
    Lease lease = clients.client.lock("x", options).acquire();
    clients.advance(ofSeconds(33));
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    lease.close();
    clients.advance(ofSeconds(6));
    assertThat(clients.other.inspect("x").isHeld()).isTrue();
    clients.advance(ofSeconds(1));
    assertThat(clients.other.inspect("x").isHeld()).isFalse();
  }

  @Test
  void a_release_is_reported_before_the_next_grant_though_its_answer_comes_later()
      throws Exception {
    LockOptions options = LockOptions.defaults().handOff(false);
    Lease first = clients.client.lock("x", options).acquire();
    clients.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE); // done at once, answered later
    var unused = first.releaseAsync();
    Lease second = clients.client.lock("x", options).acquireAsync().join();
    clients.faults.answer();
    assertThat(clients.events)
        .filteredOn(event -> event.token() != 0)
        .filteredOn(event -> event.type() != Type.WAIT_ENDED)
        .extracting(LockEvent::type, LockEvent::token)
        .containsExactly(
            tuple(Type.GRANTED, first.token()),
            tuple(Type.RELEASED, first.token()),
            tuple(Type.GRANTED, second.token()));
  }

  @Test
  void releases_of_held_locks_are_repeated_however_many_they_are() throws Exception {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) {
      leases.add(clients.client.lock("lock " + i).acquire());
    }
    clients.faults.set(Verb.LEAVE, Manner.FAILS);
    leases.forEach(Lease::close);
    clients.faults.setAll(Manner.ANSWERS);
    clients.advance(ofSeconds(3));
    assertThat(clients.other.list("lock")).isEmpty();
  }

  @Test
  void several_locks_that_the_end_of_the_client_overtakes_are_not_called_lost() throws Exception {
    Lease theirs = clients.other.lock("b").acquire();
    CompletableFuture<MultiLease> both = clients.client.lockAll(List.of("a", "b")).acquireAsync();
    var unused = both.exceptionally(failure -> null);
    clients.client.close();
    theirs.close();
    assertThatThrownBy(both::join)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void lost_leases_of_one_lock_need_one_timer_however_many_they_are() throws Exception {
    Lease unclosed = lose();
    int before = clients.ticker.tasks();
    for (int i = 0; i < 20; i++) {
      Background.start(this::lose).get();
    }
    assertThat(clients.ticker.tasks()).isEqualTo(before);
    unclosed.close();
  }

  private Lease lose() throws InterruptedException {
    Lease lease = clients.client.lock("x").acquire();
    clients.other.breakLock("x");
    assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
    return lease;
  }
}
