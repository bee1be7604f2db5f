package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.Mode;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A writer becomes a reader in place. */
class DowngradeTest {

  private final Scene scene = Scene.plain();
  private final DistributedReadWriteLock lock = scene.locks.readWriteLock("doc", OPTIONS);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void closing_the_write_lease_grants_readers_of_all_clients_and_keeps_the_token()
      throws Exception {
    Lease writing = lock.writeLock().acquire();
    Lease reading = lock.readLock().acquire();
    assertThat(reading.proof().mode()).isEqualTo(Mode.EXCLUSIVE);
    CompletableFuture<Lease> theirs =
        scene.otherClient().acquireAsync("doc", READ, Request.FOR_EVER);
    CompletableFuture<Lease> ours = scene.request("doc", READ);
    assertThat(theirs).isNotDone();
    writing.close();
    assertThat(reading.token()).isEqualTo(writing.token());
    assertThat(reading.proof().mode()).isEqualTo(Mode.SHARED);
    assertThat(theirs).isCompleted();
    assertThat(ours).isCompleted();
    assertThat(reading.isValid()).isTrue();
    assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
    assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
  }

  @Test
  void a_writer_still_waits_until_the_one_that_was_the_writer_has_read() throws Exception {
    Lease writing = lock.writeLock().acquire();
    CompletableFuture<Lease> next = scene.request("doc", WRITE);
    Lease reading = lock.downgrade(writing);
    assertThat(writing.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(next).isNotDone();
    reading.close();
    assertThat(next).isCompleted();
    assertThat(next.join().token()).isGreaterThan(reading.token());
  }

  /** That one has waited behind the writer; the answer says nothing of what came after it. */
  @Test
  void a_reader_that_tries_is_not_answered_busy_by_a_late_answer_to_one_that_gave_up() {
    Lease writing = scene.request("doc", WRITE).join();
    scene.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
    CompletableFuture<Lease> gaveUp = scene.request("doc", READ);
    gaveUp.cancel(true);
    Lease reading = lock.downgrade(writing);
    CompletableFuture<Lease> trying = scene.engine.acquireAsync("doc", READ, 0);

    scene.faults.set(Verb.JOIN, Manner.ANSWERS);
    scene.faults.answer();
    assertThat(trying).isCompletedWithValueMatching(lease -> lease != null && lease.isValid());
    assertThat(reading.isValid()).isTrue();
  }

  @Test
  void without_a_thread_it_is_done_by_the_lease() {
    Lease writing = scene.request("doc", WRITE).join();
    Lease reading = lock.downgrade(writing);
    assertThat(reading.token()).isEqualTo(writing.token());
    assertThat(scene.otherClient().acquireAsync("doc", READ, 0).join()).isNotNull();
    assertThat(reading.release()).isTrue();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void the_loss_of_the_reader_is_not_reported_to_the_write_lease() {
    AtomicInteger told = new AtomicInteger();
    AtomicInteger toldReader = new AtomicInteger();
    Lease writing = scene.request("doc", WRITE).join();
    writing.onLost(told::incrementAndGet);
    Lease reading = lock.downgrade(writing);
    reading.onLost(toldReader::incrementAndGet);
    scene.otherClient().evict("doc", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    assertThat(toldReader).hasValue(1);
    assertThat(told).hasValue(0);
  }

  @Test
  void it_stays_the_writer_while_another_write_lease_of_its_thread_is_open() throws Exception {
    Lease outer = lock.writeLock().acquire();
    Lease reading = lock.downgrade(lock.writeLock().acquire());
    assertThat(scene.request("doc", READ)).isNotDone();
    outer.close();
    assertThat(scene.request("doc", READ)).isCompleted();
    assertThat(reading.isValid()).isTrue();
  }

  @Test
  void after_it_the_thread_cannot_write_again() throws Exception {
    Lease reading = lock.downgrade(lock.writeLock().acquire());
    assertThatThrownBy(() -> lock.writeLock().tryAcquire())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("this thread reads 'doc'");
    reading.close();
    assertThat(lock.writeLock().tryAcquire()).isNotNull();
  }

  @Test
  void only_a_valid_write_lease_of_this_lock_can_be_downgraded() throws Exception {
    Lease reading = lock.readLock().acquire();
    assertThatThrownBy(() -> lock.downgrade(reading)).isInstanceOf(IllegalArgumentException.class);
    reading.close();
    Lease closed = lock.writeLock().acquire();
    closed.close();
    assertThatThrownBy(() -> lock.downgrade(closed)).isInstanceOf(LeaseLostException.class);
    Lease other = scene.locks.readWriteLock("other", OPTIONS).writeLock().acquire();
    assertThatThrownBy(() -> lock.downgrade(other)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void the_view_counts_each_side_as_the_jdk_does() {
    ReadWriteLock view = lock.asReadWriteLock();
    view.writeLock().lock();
    view.readLock().lock();
    view.writeLock().unlock();
    assertThatThrownBy(view.writeLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(view.writeLock().tryLock()).isFalse();
    view.readLock().unlock();
    assertThatThrownBy(view.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(scene.engine.names()).isZero();
  }
}
