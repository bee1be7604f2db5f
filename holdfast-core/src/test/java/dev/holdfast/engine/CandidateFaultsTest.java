package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Candidacy;
import dev.holdfast.Election;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.LeakReports;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.memory.MemoryLockStore;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Candidates whose executor, store or listener takes its time. */
class CandidateFaultsTest {

  private final Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();
  private final List<String> events = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    scene.close();
  }

  private static Election election(Engine engine) {
    return new Constructs(engine).election("e", OPTIONS);
  }

  private class Listener implements LeaderListener {
    @Override
    public void elected(Leadership leadership) {
      events.add("elected");
    }

    @Override
    public void ended(Leadership leadership) {
      events.add("ended");
    }
  }

  /** Works on a separate thread, which has the leadership for its scope. */
  private final class Working extends Listener {
    final CountDownLatch done = new CountDownLatch(1);
    private Thread worker;

    @Override
    public void elected(Leadership leadership) {
      super.elected(leadership);
      worker = new Thread(() -> work(leadership), "worker");
      worker.setDaemon(true);
      worker.start();
    }

    private void work(Leadership leadership) {
      try (leadership) {
        done.await();
      } catch (InterruptedException e) {
        events.add("stopped");
      }
    }

    @Override
    public void ended(Leadership leadership) {
      worker.interrupt();
      try {
        worker.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      super.ended(leadership);
    }
  }

  @Test
  void a_worker_that_closes_its_leadership_does_not_wait_for_the_end_that_waits_for_it()
      throws Exception {
    Engine patient = scene.otherClient(null, ofSeconds(60));
    Candidacy candidacy = election(patient).stand("v", new Working());
    await().until(candidacy::isLeading);
    Background<Void> closing = Background.start(() -> closed(candidacy));
    await().until(() -> events.contains("ended"));
    closing.get();
    assertThat(events).containsExactly("elected", "stopped", "ended");
    assertThat(other.inspect("e").isHeld()).isFalse();
  }

  private static Void closed(Candidacy candidacy) {
    candidacy.close();
    return null;
  }

  @Test
  void a_worker_that_is_done_gives_the_leadership_back_after_the_listener_was_notified() {
    Working working = new Working();
    Engine patient = scene.otherClient(null, ofSeconds(60));
    Candidacy candidacy = election(patient).stand("v", working);
    await().until(candidacy::isLeading);
    working.done.countDown();
    await().until(() -> !other.inspect("e").isHeld());
    assertThat(events).containsExactly("elected", "ended");
  }

  @Test
  void one_that_learns_of_its_election_after_the_lease_has_ended_does_not_lead() {
    try (Scene queueing = Scene.callingBackOn(callbacks::add, null)) {
      election(queueing.engine).stand("v", new Listener());
      callbacks.remove().run(); // asks
      queueing.faults.set(Verb.REFRESH, Manner.IGNORES);
      queueing.advance(OPTIONS.ttl());
      runCallbacks();
      assertThat(events).isEmpty();
      queueing.faults.set(Verb.REFRESH, Manner.ANSWERS);
      queueing.advance(ofSeconds(1));
      runCallbacks();
      assertThat(events).containsExactly("elected");
    }
  }

  @Test
  void one_that_learns_of_its_election_after_the_client_has_closed_does_not_lead() {
    Engine closing = scene.otherClient(callbacks::add, ofMillis(50));
    election(closing).stand("v", new Listener());
    callbacks.remove().run(); // asks
    callbacks.remove().run(); // is elected, and its listener not called yet
    closing.close();
    runCallbacks();
    assertThat(events).isEmpty();
    assertThat(other.inspect("e").isHeld()).isFalse();
  }

  private void runCallbacks() {
    for (Runnable task = callbacks.poll(); task != null; task = callbacks.poll()) {
      task.run();
    }
  }

  @Test
  void one_that_resigns_stands_again_when_the_store_has_answered_and_blocks_nobody_until_then() {
    Candidacy candidacy = election(scene.engine).stand("v", new Listener());
    scene.advance(ofSeconds(1));
    scene.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);
    candidacy.resign();
    scene.advance(ofSeconds(1));
    assertThat(events).containsExactly("elected", "ended");
    scene.faults.answer();
    scene.advance(ZERO);
    assertThat(events).containsExactly("elected", "ended", "elected");
  }

  @Test
  void one_that_gives_up_while_its_resignation_is_not_answered_is_gone_with_the_answer()
      throws Exception {
    Candidacy candidacy = election(scene.engine).stand("v", new Listener());
    scene.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);
    candidacy.resign();
    Background<Void> closing = Background.start(() -> closed(candidacy)).awaitWaiting();
    scene.faults.answer();
    closing.get();
    scene.advance(ofSeconds(10));
    assertThat(events).containsExactly("elected", "ended");
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void whatever_a_listener_throws_when_it_cannot_lead_is_reported() {
    try (Logs.Recording logs = Logs.record()) {
      election(scene.engine)
          .stand(
              "v",
              new LeaderListener() {
                @Override
                public void elected(Leadership leadership) {
                  throw new IllegalStateException("cannot start");
                }

                @Override
                public void ended(Leadership leadership) {
                  throw new IllegalStateException("cannot stop");
                }
              });
      assertThat(logs.atLeast(Level.ERROR)).hasSize(2);
    }
  }

  @Test
  void a_leader_that_stops_before_the_store_is_closed_is_given_back_after_all() {
    CountDownLatch stopping = new CountDownLatch(1);
    Engine brief =
        new Engine(
            new EngineSettings(
                new ForwardingStore(new MemoryLockStore(scene.space, scene.ticker)) {
                  @Override
                  public void close() {
                    stopping.countDown();
                    await().until(() -> !other.inspect("e").isHeld());
                    super.close();
                  }
                },
                scene.ticker,
                false,
                null,
                List.of(),
                "",
                ofMillis(50),
                LeakReports.OFF));
    Candidacy candidacy =
        election(brief)
            .stand(
                "v",
                new Listener() {
                  @Override
                  public void ended(Leadership leadership) {
                    awaitUninterruptibly(stopping);
                  }
                });
    await().until(candidacy::isLeading);
    brief.close();
    assertThat(other.inspect("e").isHeld()).isFalse();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
