package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestGuardTest {

  private static final String STORE = "memory:request-guard";

  private final Holdfast master = Holdfast.connect(STORE);
  private final Holdfast successor = Holdfast.connect(STORE);
  private final Holdfast worker = Holdfast.connect(STORE);
  private final RequestGuard guard = RequestGuard.of(worker, Fence.inMemory());

  @AfterEach
  void close() {
    master.close();
    successor.close();
    worker.close();
  }

  @Test
  void the_holder_is_accepted_and_may_write_many_times() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      guard.enter(lease.proof());
      guard.check(lease.proof());
      guard.check(lease.proof());
    }
  }

  @Test
  void a_deposed_master_is_refused_before_its_successor_has_sent_anything() throws Exception {
    Lease old = master.lock("orders").acquire();
    guard.enter(old.proof());
    worker.breakLock("orders");
    assertThatExceptionOfType(LeaseLostException.class)
        .isThrownBy(() -> guard.check(old.proof()))
        .withMessageContaining("'orders' (token " + old.token() + ") of host ");
    try (Lease next = successor.lock("orders").acquire()) {
      assertThatThrownBy(() -> guard.enter(old.proof())).isInstanceOf(LeaseLostException.class);
      guard.enter(next.proof());
    }
  }

  @Test
  void an_older_thread_of_the_holders_client_is_refused_by_the_fence() throws Exception {
    Lease first = master.lock("orders").acquire();
    var waiting = master.lock("orders").acquireAsync();
    var alsoWaiting = master.lock("orders").acquireAsync();
    first.close();
    Lease second = waiting.get();
    second.close();
    try (Lease third = alsoWaiting.get()) {
      Proof older = second.proof();
      Proof passedOn = third.proof();
      guard.enter(older);
      guard.enter(passedOn);
      assertThat(worker.verify(older)).as("one claim stands for both").isTrue();
      assertThatThrownBy(() -> guard.check(older)).isInstanceOf(StaleTokenException.class);
      guard.check(passedOn);
    }
  }

  @Test
  void a_guard_whose_client_is_closed_accepts_nobody_and_says_unknown() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      worker.close();
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> guard.enter(lease.proof()))
          .withMessageContaining("No answer about 'orders'")
          .withMessageContaining("is closed");
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> guard.check(lease.proof()));
    }
  }

  @Test
  void a_proof_that_was_made_up_does_not_raise_the_fence() throws Exception {
    try (Lease lease = master.lock("orders").acquire()) {
      Owner stranger = new Owner("h", 1, "t", "nobody", "");
      Proof madeUp = new Proof("orders", Tokens.MAX, Mode.EXCLUSIVE, stranger);
      assertThatThrownBy(() -> guard.enter(madeUp)).isInstanceOf(LeaseLostException.class);
      assertThatCode(() -> guard.enter(lease.proof())).doesNotThrowAnyException();
    }
  }

  @Test
  void a_permit_is_verified_and_not_fenced() throws Exception {
    try (Lease lease = master.semaphore("orders", 2).acquire()) {
      guard.enter(lease.proof());
      guard.check(lease.proof());
    }
  }
}
