package dev.holdfast.engine;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockEvent;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** The caller's code has dedicated threads, whatever executor it was given. */
class OwnThreadsTest {

  private static final String STORE = "memory:own-threads";

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void an_executor_that_runs_tasks_on_the_calling_thread_delays_no_other_loss() {
    CountDownLatch end = new CountDownLatch(1);
    List<String> threads = new CopyOnWriteArrayList<>();
    LockOptions brief = LockOptions.defaults().ttl(ofSeconds(2));
    try (Holdfast locks = Holdfast.builder().store(STORE).executor(Runnable::run).build();
        Holdfast operator = Holdfast.connect(STORE)) {
      Lease slow = locks.lock("slow", brief).acquireAsync().join();
      Lease other = locks.lock("other", brief).acquireAsync().join();
      slow.onLost(
          () -> {
            threads.add(Thread.currentThread().getName());
            waitFor(end);
          });
      CountDownLatch told = new CountDownLatch(1);
      other.onLost(told::countDown);
      operator.breakLock("slow");
      await().until(() -> !threads.isEmpty());
      operator.breakLock("other");
      await().until(() -> told.getCount() == 0);
      assertThat(threads).doesNotContain("holdfast-timer");
      end.countDown();
    }
  }

  @Test
  void a_task_on_the_only_thread_of_the_executor_is_interrupted_by_a_loss() throws Exception {
    ExecutorService single = Executors.newSingleThreadExecutor();
    try (Holdfast locks = Holdfast.builder().store(STORE).executor(single).build();
        Holdfast operator = Holdfast.connect(STORE)) {
      CountDownLatch begun = new CountDownLatch(1);
      Callable<Void> task =
          () -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return null;
          };
      Future<Void> run = single.submit(() -> locks.lock("run").call(task));
      begun.await();
      operator.breakLock("run");
      assertThat(run)
          .failsWithin(60, TimeUnit.SECONDS)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(LeaseLostException.class);
    } finally {
      single.shutdownNow();
    }
  }

  @Test
  void several_locks_are_given_up_though_the_only_thread_of_the_executor_waits_for_them()
      throws Exception {
    givesUp((both, queued) -> both::acquire);
    givesUp(
        (both, queued) -> {
          CompletableFuture<MultiLease> asked = both.acquireAsync();
          await().until(queued); // from here on the thread is not needed
          return asked::get;
        });
  }

  private static void givesUp(BiFunction<MultiLock, Callable<Boolean>, Callable<MultiLease>> way)
      throws Exception {
    ExecutorService single = Executors.newSingleThreadExecutor();
    try (Holdfast locks = Holdfast.builder().store(STORE).executor(single).build();
        Holdfast operator = Holdfast.connect(STORE);
        Lease theirs = operator.lock("two").acquire()) {
      Callable<Boolean> queued = () -> !operator.inspect("two").waiters().isEmpty();
      MultiLock both = locks.lockAll(List.of("one", "two"));
      Future<MultiLease> waiting = single.submit(way.apply(both, queued));
      await().until(queued);
      operator.breakLock("one");
      assertThat(waiting)
          .failsWithin(60, TimeUnit.SECONDS)
          .withThrowableOfType(ExecutionException.class)
          .havingRootCause()
          .isInstanceOf(LeaseLostException.class);
      await().until(() -> !queued.call());
      assertThat(theirs.isValid()).isTrue();
    } finally {
      single.shutdownNow();
    }
  }

  @Test
  void continuations_that_wait_for_other_futures_of_the_client_do_not_dead_lock() {
    try (Holdfast locks = Holdfast.connect(STORE);
        Holdfast other = Holdfast.connect(STORE)) {
      int count = 100;
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<?>> all = new ArrayList<>();
      CountDownLatch together = new CountDownLatch(count);
      for (int i = 0; i < count; i++) {
        int n = i;
        held.add(other.lock("outer/" + n).acquireAsync().join());
        all.add(
            locks
                .lock("outer/" + n)
                .acquireAsync()
                .thenAccept(
                    outer -> {
                      together.countDown();
                      waitFor(together);
                      try (outer;
                          Lease inner = locks.lock("inner/" + n).acquireAsync().join()) {
                        assertThat(inner.isValid()).isTrue();
                      }
                    }));
      }
      held.forEach(Lease::close);
      assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)))
          .succeedsWithin(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void events_come_in_order_and_one_at_a_time() throws Exception {
    Set<Long> begun = ConcurrentHashMap.newKeySet();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    AtomicInteger released = new AtomicInteger();
    HoldfastListener listener =
        event -> {
          wrong.addAndGet(inside.incrementAndGet() - 1);
          if (event.type() == LockEvent.Type.GRANTED || event.type() == LockEvent.Type.HANDED_OFF) {
            begun.add(event.token());
          } else if (event.type() == LockEvent.Type.RELEASED) {
            released.incrementAndGet();
            wrong.addAndGet(begun.contains(event.token()) ? 0 : 1);
          }
          inside.decrementAndGet();
        };
    try (Holdfast locks = Holdfast.builder().store(STORE).listener(listener).build()) {
      for (int i = 0; i < 500; i++) {
        locks.lock("x").acquire().close();
      }
      await().until(() -> released.get() == 500);
    }
    assertThat(wrong).hasValue(0);
  }

  @Test
  void a_listener_that_blocks_stops_nothing_and_its_queue_has_a_bound() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (Holdfast locks = Holdfast.builder().store(STORE).listener(event -> waitFor(end)).build()) {
      for (int i = 0; i < HoldfastListener.QUEUE; i++) {
        locks.lock("x").acquire().close();
      }
      assertThat(locks.lock("y").acquireAsync()).succeedsWithin(60, TimeUnit.SECONDS);
      assertThat(locks.droppedEvents()).isPositive();
      end.countDown();
    }
  }

  @Test
  void several_listeners_hear_the_same() throws Exception {
    List<LockEvent> first = new CopyOnWriteArrayList<>();
    List<LockEvent> second = new CopyOnWriteArrayList<>();
    try (Holdfast locks =
        Holdfast.builder().store(STORE).listener(first::add).listener(second::add).build()) {
      locks.lock("x", LockOptions.defaults().label("me")).acquire().close();
      await().until(() -> second.stream().anyMatch(e -> e.type() == LockEvent.Type.RELEASED));
    }
    assertThat(first.subList(0, 5)).isEqualTo(second.subList(0, 5));
    assertThat(first)
        .extracting(LockEvent::type)
        .contains(
            LockEvent.Type.WAIT_STARTED,
            LockEvent.Type.STORE_CALL,
            LockEvent.Type.GRANTED,
            LockEvent.Type.WAIT_ENDED,
            LockEvent.Type.RELEASED);
    assertThat(first)
        .filteredOn(e -> e.type() == LockEvent.Type.GRANTED)
        .allMatch(e -> e.label().equals("me") && e.token() > 0);
  }
}
