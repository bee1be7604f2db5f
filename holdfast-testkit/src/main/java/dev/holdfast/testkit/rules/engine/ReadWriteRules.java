package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.Mode;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;

/** Many readers or one writer. */
public abstract class ReadWriteRules extends EngineRules {

  private static final int READERS = 16;

  @Test
  void sixteen_readers_of_one_client_really_run_together_each_with_its_own_token()
      throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          CyclicBarrier together = new CyclicBarrier(READERS);
          Set<Long> tokens = ConcurrentHashMap.newKeySet();
          List<Task<Integer>> readers = new ArrayList<>();
          for (int i = 0; i < READERS; i++) {
            readers.add(
                scene()
                    .inThread(
                        () -> {
                          try (Lease lease = lock(a).readLock().acquire()) {
                            tokens.add(lease.token());
                            return together.await(60, TimeUnit.SECONDS);
                          }
                        }));
          }
          readers.forEach(reader -> scene().resultInTime(reader.result()));
          assertThat(tokens).hasSize(READERS);
        });
  }

  @Test
  void a_writer_waits_for_the_readers_of_all_clients_whichever_leaves_last() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          Holdfast c = scene().client();
          for (int last = 0; last < 2; last++) {
            List<Lease> readers =
                new ArrayList<>(
                    List.of(lock(a).readLock().acquire(), lock(b).readLock().acquire()));
            CompletableFuture<Lease> writer = lock(c).writeLock().acquireAsync();
            awaitWaiter();
            Lease slow = readers.remove(last);
            release(readers.get(0));
            assertThat(writer).isNotDone();
            release(slow);

            Lease writing = scene().resultInTime(writer);
            assertThat(writing.token()).isGreaterThan(slow.token());
            assertThat(writing.proof().mode()).isEqualTo(Mode.EXCLUSIVE);
            assertThat(lock(a).readLock().tryAcquire()).isNull();
            assertThat(lock(b).writeLock().tryAcquire()).isNull();
            release(writing);
          }
        });
  }

  @Test
  void a_writer_that_waits_is_not_overtaken_by_later_readers() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          Lease reading = lock(a).readLock().acquire();
          CompletableFuture<Lease> writer = lock(b).writeLock().acquireAsync();
          awaitWaiter();
          if (scene().traits().fair()) {
            assertThat(lock(scene().client()).readLock().tryAcquire()).isNull();
          }
          release(reading);
          release(scene().resultInTime(writer));
        });
  }

  @Test
  void a_writer_becomes_a_reader_in_place_with_the_same_token() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          Lease writing = lock(a).writeLock().acquire();
          CompletableFuture<Lease> reader = lock(b).readLock().acquireAsync();
          awaitWaiter();

          Lease reading = lock(a).downgrade(writing);

          assertThat(reading.token()).isEqualTo(writing.token());
          assertThat(reading.proof().mode()).isEqualTo(Mode.SHARED);
          Lease theirs = scene().resultInTime(reader);
          assertThat(theirs.token()).isGreaterThan(reading.token());
          assertThat(lock(b).writeLock().tryAcquireAsync().thenApply(l -> l == null))
              .satisfies(busy -> assertThat(scene().resultInTime(busy)).isTrue());
          reading.renew();
          release(reading);
          release(theirs);
          release(lock(b).writeLock().acquire());
        });
  }

  @Test
  void each_side_is_reentrant_and_a_reader_cannot_become_the_writer() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          DistributedReadWriteLock lock = lock(a);
          try (Lease outer = lock.writeLock().acquire();
              Lease inner = lock.writeLock().acquire();
              Lease reading = lock.readLock().acquire()) {
            assertThat(inner.token()).isEqualTo(outer.token());
            assertThat(reading.token()).isEqualTo(outer.token());
          }
          try (Lease outer = lock.readLock().acquire();
              Lease inner = lock.readLock().acquire()) {
            assertThat(inner.token()).isEqualTo(outer.token());
            assertThatThrownBy(lock.writeLock()::acquire)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this thread reads '" + name + "'");
          }
          release(lock(b).writeLock().acquire());
        });
  }

  @Test
  void readers_whose_lock_is_broken_are_all_notified() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          Lease one = lock(a).readLock().acquire();
          Lease two = lock(b).readLock().acquire();

          assertThat(scene().client().breakLock(name)).isTrue();

          assertThatThrownBy(one::renew).isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(two::renew).isInstanceOf(LeaseLostException.class);
          one.close();
          two.close();
        });
  }

  @Test
  void the_view_behaves_as_the_jdk_s() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          ReadWriteLock view = lock(a).asReadWriteLock();
          view.writeLock().lock();
          view.writeLock().lock();
          view.readLock().lock();
          assertThat(tryElsewhere(view.readLock())).isFalse();
          assertThatThrownBy(() -> scene().inThread(() -> unlock(view.writeLock())).result().join())
              .hasCauseInstanceOf(IllegalMonitorStateException.class);
          view.writeLock().unlock();
          assertThat(tryElsewhere(view.readLock())).isFalse();
          Task<Boolean> timed =
              scene().inThread(() -> view.readLock().tryLock(20, TimeUnit.MILLISECONDS));
          assertThat(scene().resultInTime(timed.result())).isFalse();
          view.writeLock().unlock();
          assertThat(tryElsewhere(view.readLock())).isTrue();
          assertThat(tryElsewhere(view.writeLock())).isFalse();
          assertThat(view.writeLock().tryLock()).isFalse();
          assertThatThrownBy(view.writeLock()::unlock)
              .isInstanceOf(IllegalMonitorStateException.class);
          view.readLock().unlock();
          assertThat(tryElsewhere(view.writeLock())).isTrue();
        });
  }

  private DistributedReadWriteLock lock(Holdfast client) {
    return client.readWriteLock(name);
  }

  private boolean tryElsewhere(Lock view) {
    return scene().result(scene().inThread(() -> view.tryLock() && unlock(view)).result());
  }

  private static boolean unlock(Lock view) {
    view.unlock();
    return true;
  }
}
