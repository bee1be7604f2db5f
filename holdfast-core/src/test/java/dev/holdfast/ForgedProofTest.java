package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A sender that knows the text of a proof, alters it, and has no access to the store. */
class ForgedProofTest {

  private static final String STORE = "memory:forged-proof";

  private final Holdfast holder = Holdfast.connect(STORE);
  private final Holdfast other = Holdfast.connect(STORE);
  private final Holdfast worker = Holdfast.connect(STORE);
  private final RequestGuard guard = RequestGuard.of(worker, Fence.inMemory());

  @AfterEach
  void close() {
    holder.close();
    other.close();
    worker.close();
  }

  @Test
  void a_greater_token_than_was_reserved_is_refused_and_no_later_holder_suffers() throws Exception {
    try (Lease lease = holder.lock("orders").acquire()) {
      Proof real = lease.proof();
      guard.enter(real);
      for (long token : new long[] {real.token() + 1, real.token() * 2, Long.MAX_VALUE / 4}) {
        Proof forged = altered(real, token, Mode.EXCLUSIVE);
        assertThat(worker.verify(forged)).as("token %s", token).isFalse();
        assertThatThrownBy(() -> guard.enter(forged)).isInstanceOf(LeaseLostException.class);
      }
      guard.check(real);
    }
    try (Lease next = other.lock("orders").acquire()) {
      assertThatCode(() -> guard.enter(next.proof())).doesNotThrowAnyException();
    }
  }

  @Test
  void a_reader_does_not_pass_as_a_writer() throws Exception {
    try (Lease one = holder.readWriteLock("cat").readLock().acquire();
        Lease two = other.readWriteLock("cat").readLock().acquire()) {
      guard.enter(two.proof());
      Proof forged = altered(one.proof(), one.token(), Mode.EXCLUSIVE);
      assertThatThrownBy(() -> guard.enter(forged)).isInstanceOf(LeaseLostException.class);
      assertThatCode(() -> guard.check(two.proof())).doesNotThrowAnyException();
    }
  }

  @Test
  void a_holder_does_not_pass_by_the_fence_as_a_permit() throws Exception {
    try (Lease lease = holder.lock("orders").acquire()) {
      Proof forged = altered(lease.proof(), lease.token(), Mode.PERMIT);
      assertThatThrownBy(() -> guard.check(forged)).isInstanceOf(LeaseLostException.class);
    }
  }

  @Test
  void a_writer_may_read() throws Exception {
    try (Lease lease = holder.readWriteLock("cat").writeLock().acquire()) {
      assertThat(worker.verify(altered(lease.proof(), lease.token(), Mode.SHARED))).isTrue();
    }
  }

  @Test
  void every_thread_that_the_claim_was_handed_off_to_passes() throws Exception {
    DistributedLock lock = holder.lock("orders");
    Lease first = lock.acquire();
    var waiting = lock.acquireAsync();
    var alsoWaiting = lock.acquireAsync();
    assertThat(worker.verify(first.proof())).isTrue();
    first.close();
    Lease second = waiting.get();
    assertThat(worker.verify(second.proof())).isTrue();
    second.close();
    Lease third = alsoWaiting.get();
    assertThat(third.token()).isGreaterThan(second.token());
    assertThat(worker.verify(third.proof())).isTrue();
    third.close();
  }

  private static Proof altered(Proof proof, long token, Mode mode) {
    return new Proof(proof.lock(), token, mode, proof.owner());
  }
}
