package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockEvent;
import dev.holdfast.LossReason;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A release that the store answers with gone: the lock was lost before, and nobody knew. */
class GoneAtReleaseTest {

  private final Clients clients = Clients.on(Unhinted::new);
  private final DistributedLock lock = clients.client.lock("x");

  @AfterEach
  void close() {
    clients.close();
  }

  private Lease broken() throws InterruptedException {
    Lease lease = lock.acquire();
    clients.other.breakLock("x");
    return lease;
  }

  private void breakAndClose(Lease lease) {
    clients.other.breakLock("x");
    lease.close();
  }

  @Test
  void a_release_that_is_answered_gone_leaves_the_lease_lost() throws Exception {
    Lease lease = broken();
    assertThat(lease.release()).isFalse();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void a_close_that_is_answered_gone_throws_nothing_and_leaves_the_lease_lost() throws Exception {
    Lease lease = broken();
    assertThatCode(lease::close).doesNotThrowAnyException();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void a_release_whose_answer_comes_late_leaves_the_lease_lost_too() throws Exception {
    Lease lease = broken();
    clients.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);
    CompletableFuture<Boolean> released = lease.releaseAsync();
    clients.faults.answer();
    assertThat(released).isCompletedWithValue(false);
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void the_loss_is_reported_to_listeners_once_and_with_its_reason() throws Exception {
    Lease lease = broken();
    lease.close();
    lease.close();
    assertThat(clients.events(LockEvent.Type.LOST))
        .extracting(LockEvent::token, LockEvent::outcome)
        .containsExactly(tuple(lease.token(), LossReason.ENDED_BY_STORE.name()));
  }

  @Test
  void run_ends_with_the_loss_though_the_task_closed_its_lease() {
    AtomicReference<Lease> lease = new AtomicReference<>();
    assertThatThrownBy(
            () ->
                lock.run(
                    own -> {
                      lease.set(own);
                      breakAndClose(own);
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(lease.get().state()).isEqualTo(LeaseState.LOST);
    assertThat(clients.events(LockEvent.Type.LOST)).hasSize(1);
  }

  @Test
  void call_and_try_run_end_with_the_loss_though_the_task_closed_its_lease() {
    assertThatThrownBy(
            () ->
                lock.call(
                    own -> {
                      breakAndClose(own);
                      return "done";
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> lock.tryRun(this::breakAndClose))
        .isInstanceOf(LeaseLostException.class);
  }

  @Test
  void the_task_of_several_locks_ends_with_the_loss_though_it_closed_its_lease() {
    assertThatThrownBy(
            () ->
                clients
                    .client
                    .lockAll(List.of("x", "y"))
                    .run(
                        all -> {
                          clients.other.breakLock("x");
                          all.close();
                        }))
        .isInstanceOfSatisfying(
            LeaseLostException.class, lost -> assertThat(lost.lockName()).isEqualTo("x"));
  }
}
