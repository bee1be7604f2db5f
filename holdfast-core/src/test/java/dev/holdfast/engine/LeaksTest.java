package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Candidacy;
import dev.holdfast.DistributedLock;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.engine.state.Request;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which holds are still of use to somebody, and what is said about the others. */
class LeaksTest {

  private static final String NEVER = "was never closed";
  private static final String BY_A_LIVING_THREAD = "its thread still holds the lock";

  private static final LeaderListener LEADER =
      new LeaderListener() {
        @Override
        public void elected(Leadership leadership) {}

        @Override
        public void ended(Leadership leadership) {}
      };

  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();
  private Logs.Recording logs = Logs.record();

  @AfterEach
  void close() {
    logs.close();
    scene.close();
  }

  /** One renewal, after a collection. */
  private void passes() {
    System.gc();
    scene.advance(ofSeconds(10));
  }

  private void awaitReport(String name, String what) {
    await()
        .until(
            () -> {
              passes();
              return isReported(name, what);
            });
  }

  private boolean isReported(String name, String what) {
    return logs.atLeast(Level.WARNING).stream()
        .anyMatch(line -> line.contains("'" + name + "'") && line.contains(what));
  }

  private void awaitFree(String name) {
    await()
        .until(
            () -> {
              passes();
              return !other.inspect(name).isHeld();
            });
  }

  /** A lease object that nobody has shows that the collector has passed by. */
  private void afterCollections() {
    scene.request("canary", MUTEX).join();
    awaitFree("canary");
    passes();
    passes();
  }

  @Test
  void a_lease_of_a_thread_that_has_ended_frees_its_lock() throws Exception {
    DistributedLock lock = scene.locks.mutex("x", OPTIONS);
    Thread holder =
        new Thread(
            () -> {
              try {
                lock.acquire();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    holder.start();
    holder.join();
    awaitFree("x");
    assertThat(isReported("x", NEVER)).isTrue();
  }

  @Test
  void an_unbound_lease_frees_its_lock_although_its_thread_lives() throws Exception {
    scene.locks.mutex("x", OPTIONS).acquire().unbind();
    awaitFree("x");
    assertThat(isReported("x", NEVER)).isTrue();
  }

  @Test
  void a_lease_that_a_living_thread_has_dropped_is_reported_once_and_renewed() throws Exception {
    scene.locks.mutex("x", OPTIONS).acquire();
    awaitReport("x", BY_A_LIVING_THREAD);
    afterCollections();
    assertThat(logs.atLeast(Level.WARNING)).filteredOn(line -> line.contains("'x'")).hasSize(1);
    assertThat(other.inspect("x").isHeld()).isTrue();
    scene.locks.mutex("x", OPTIONS).acquire().close(); // it may enter again
  }

  @Test
  void a_nested_lease_keeps_the_hold_though_the_outer_one_is_forgotten() throws Exception {
    DistributedLock lock = scene.locks.mutex("x", OPTIONS);
    lock.acquire();
    Lease inner = lock.acquire();
    inner.unbind(); // so that only the lease object keeps it
    afterCollections();
    assertThat(inner.isValid()).isTrue();
    assertThat(isReported("x", "")).isFalse();
  }

  @Test
  void a_view_keeps_the_hold_of_its_living_thread_and_is_not_reported() {
    scene.locks.mutex("x", OPTIONS).asLock().lock();
    afterCollections();
    assertThat(other.inspect("x").isHeld()).isTrue();
    assertThat(isReported("x", "")).isFalse();
  }

  @Test
  void a_task_keeps_the_hold_that_it_runs_under() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    DistributedLock unbound = scene.locks.mutex("x", OPTIONS.reentrant(false));
    Background<Integer> running =
        Background.start(
            () ->
                unbound.call(
                    () -> {
                      begun.countDown();
                      end.await();
                      return 42;
                    }));
    begun.await();
    afterCollections();
    assertThat(other.inspect("x").isHeld()).isTrue();
    end.countDown();
    assertThat(running.get()).isEqualTo(42);
    assertThat(isReported("x", "")).isFalse();
  }

  @Test
  void a_candidacy_keeps_its_leadership() {
    try (Candidacy candidacy = scene.locks.election("x", OPTIONS).stand("me", LEADER)) {
      afterCollections();
      assertThat(other.inspect("x").isHeld()).isTrue();
      assertThat(candidacy.isLeading()).isTrue();
      assertThat(isReported("x", "")).isFalse();
    }
  }

  @Test
  void the_stack_of_the_acquisition_is_reported_if_that_is_wanted() {
    assertThat(reportedBy(LeakReports.ALL)).containsExactly(true);
    assertThat(reportedBy(LeakReports.OFF)).isEmpty();
  }

  /** For each report of a dropped lease: whether it has the stack of its acquisition. */
  private List<Boolean> reportedBy(LeakReports reports) {
    logs.close();
    logs = Logs.record();
    Engine engine = scene.otherClient(reports);
    engine.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    awaitFree("x");
    engine.close();
    return logs.thrown("The lease on 'x'").stream()
        .map(thrown -> thrown.filter(LeaksTest::isOfThisTest).isPresent())
        .toList();
  }

  private static boolean isOfThisTest(Throwable origin) {
    return Stream.of(origin.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("reportedBy"));
  }

  @Test
  void it_is_reported_after_the_mutex_of_the_lock_is_let_go() {
    LockShell[] shell = new LockShell[1];
    List<String> readWhileReported = new ArrayList<>();
    logs.close();
    logs =
        Logs.record(
            line -> {
              if (line.startsWith("The lease on") && line.contains(NEVER)) {
                Background<?> reader =
                    Background.start(
                        () ->
                            shell[0].ask(
                                (state, now, out) -> state.heldBy(Thread.currentThread())));
                await().atMost(ofSeconds(60)).until(reader::isDone);
                readWhileReported.add(line);
              }
            });
    scene.request("x", MUTEX).join(); // nobody keeps the lease
    shell[0] = scene.engine.find("x");
    awaitFree("x");
    assertThat(readWhileReported).hasSize(1);
  }
}
