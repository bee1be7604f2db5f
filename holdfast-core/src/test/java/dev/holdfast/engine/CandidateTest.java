package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Candidacy;
import dev.holdfast.Election;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.Lease;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CandidateTest {

  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();
  private final Election election = scene.locks.election("e", OPTIONS);
  private final List<String> events = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    scene.close();
  }

  private class Listener implements LeaderListener {
    @Override
    public void elected(Leadership leadership) {
      events.add("elected " + leadership.value());
    }

    @Override
    public void ended(Leadership leadership) {
      events.add("ended, held by us: " + other.inspect("e").isHeld());
    }

    @Override
    public void failed(RuntimeException cause) {
      events.add("failed: " + cause.getClass().getSimpleName());
    }
  }

  @Test
  void it_is_asked_to_stop_before_its_leadership_is_given_back() {
    Candidacy candidacy = election.stand("v", new Listener());
    assertThat(candidacy.isLeading()).isTrue();
    candidacy.close();
    candidacy.close();
    assertThat(events).containsExactly("elected v", "ended, held by us: true");
    assertThat(candidacy.isLeading()).isFalse();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void it_stands_again_at_once_after_it_has_resigned() {
    Candidacy candidacy = election.stand("v", new Listener());
    scene.advance(ofSeconds(1));
    candidacy.resign();
    scene.advance(ZERO);
    assertThat(events).containsExactly("elected v", "ended, held by us: true", "elected v");
    candidacy.close();
  }

  @Test
  void one_that_resigns_as_soon_as_it_leads_is_elected_again_after_a_while_on_any_thread() {
    Candidacy candidacy = election.stand("v", new Listener());
    candidacy.resign();
    scene.advance(ofMillis(999));
    assertThat(events).containsExactly("elected v", "ended, held by us: true");
    assertThat(other.inspect("e").isHeld()).isFalse();
    scene.advance(ofMillis(1));
    assertThat(events).hasSize(3);
    candidacy.close();
  }

  @Test
  void one_whose_leadership_is_given_back_by_hand_is_notified_first_and_stands_again() {
    List<Leadership> led = new ArrayList<>();
    Candidacy candidacy =
        election.stand(
            "v",
            new Listener() {
              @Override
              public void elected(Leadership leadership) {
                super.elected(leadership);
                led.add(leadership);
              }
            });
    assertThat(led.get(0).resign()).isTrue();
    scene.advance(ofSeconds(1));
    assertThat(events).containsExactly("elected v", "ended, held by us: true", "elected v");
    assertThat(led.get(0).isValid()).isFalse();
    assertThat(led.get(0).resign()).isFalse();
    assertThat(led.get(0).releaseAsync().join()).isFalse();
    led.get(1).close();
    scene.advance(ofSeconds(1));
    assertThat(led.get(2).releaseAsync().join()).isTrue();
    scene.advance(ofSeconds(1));
    assertThat(led).hasSize(4);
    assertThat(led.get(3).token()).isGreaterThan(led.get(2).token());
    candidacy.close();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_listener_that_gives_the_leadership_back_itself_is_elected_again_after_a_while() {
    Candidacy candidacy =
        election.stand(
            "v",
            new Listener() {
              @Override
              public void elected(Leadership leadership) {
                super.elected(leadership);
                assertThat(leadership.resign()).isTrue();
                events.add("returned");
              }
            });
    assertThat(events).containsExactly("elected v", "returned", "ended, held by us: true");
    assertThat(other.inspect("e").isHeld()).isFalse();
    scene.advance(ofSeconds(1));
    assertThat(events).hasSize(6);
    candidacy.close();
  }

  @Test
  void a_listener_that_cannot_lead_leaves_it_to_others_and_stands_again() {
    Candidacy candidacy =
        election.stand(
            "v",
            new Listener() {
              @Override
              public void elected(Leadership leadership) {
                super.elected(leadership);
                if (events.size() == 1) {
                  throw new IllegalStateException("of the listener");
                }
              }
            });
    assertThat(events).containsExactly("elected v", "ended, held by us: true");
    Lease theirs = other.acquireAsync("e", LockSpec.election("e", "x", OPTIONS), 0).join();
    assertThat(theirs).isNotNull();
    scene.advance(ofSeconds(1));
    theirs.close();
    assertThat(candidacy.isLeading()).isTrue();
  }

  @Test
  void a_silent_store_is_asked_again_until_it_answers() {
    scene.faults.set(SilentStore.Verb.JOIN, SilentStore.Manner.FAILS);
    Candidacy candidacy = election.stand("v", new Listener());
    scene.advance(ofSeconds(1));
    assertThat(events).containsExactly("failed: StoreException", "failed: StoreException");
    scene.faults.set(SilentStore.Verb.JOIN, SilentStore.Manner.ANSWERS);
    scene.advance(ofSeconds(1));
    assertThat(candidacy.isLeading()).isTrue();
  }

  @Test
  void a_name_of_another_kind_is_tried_again_too() {
    Lease mutex = other.acquireAsync("e", MUTEX, Request.FOR_EVER).join();
    Candidacy candidacy = election.stand("v", new Listener());
    assertThat(events).containsExactly("failed: IllegalStateException");
    mutex.close();
    scene.advance(ofSeconds(1));
    assertThat(candidacy.isLeading()).isTrue();
  }

  @Test
  void a_listener_that_throws_does_not_keep_the_leadership_from_being_given_back() {
    Candidacy candidacy =
        election.stand(
            "v",
            new Listener() {
              @Override
              public void ended(Leadership leadership) {
                throw new IllegalStateException("of the listener");
              }
            });
    candidacy.close();
    assertThat(other.inspect("e").isHeld()).isFalse();
  }

  @Test
  void a_candidate_that_gives_up_leaves_the_queue() {
    other.acquireAsync("e", LockSpec.election("e", "x", OPTIONS), Request.FOR_EVER).join();
    Candidacy candidacy = election.stand("v", new Listener());
    assertThat(other.inspect("e").waiters()).hasSize(1);
    candidacy.close();
    assertThat(other.inspect("e").waiters()).isEmpty();
    assertThat(events).isEmpty();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void closing_the_client_tells_the_leader_first() {
    election.stand("v", new Listener());
    scene.engine.close();
    assertThat(events).hasSize(2).last().asString().startsWith("ended");
    assertThatThrownBy(() -> election.stand("v", new Listener()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void the_next_leader_is_not_elected_while_ended_runs_though_the_client_has_closed()
      throws Exception {
    CountDownLatch stopping = new CountDownLatch(1);
    Engine brief = scene.otherClient(null, ofMillis(50));
    Candidacy candidacy =
        new Constructs(brief)
            .election("e", OPTIONS)
            .stand(
                "v",
                new Listener() {
                  @Override
                  public void ended(Leadership leadership) {
                    awaitUninterruptibly(stopping);
                  }
                });
    await().until(candidacy::isLeading);
    brief.close(); // returns
    try {
      assertThat(candidacy.isLeading()).isFalse();
      assertThat(other.inspect("e").isHeld()).isTrue();
    } finally {
      stopping.countDown();
    }
    scene.advance(OPTIONS.ttl());
    assertThat(other.inspect("e").isHeld()).isFalse();
  }

  @Test
  void closing_the_client_on_its_own_executor_tells_the_leader_first_too() throws Exception {
    ExecutorService single = Executors.newSingleThreadExecutor();
    Engine onSingle = scene.otherClient(single, ofMillis(500));
    Candidacy candidacy =
        new Constructs(onSingle).election("e", OPTIONS).stand("v", new Listener());
    await().until(candidacy::isLeading);
    single.submit(onSingle::close).get();
    single.shutdown();
    assertThat(single.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(events).containsExactly("elected v", "ended, held by us: true");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_value_that_cannot_be_published_is_refused() throws Exception {
    assertThatThrownBy(() -> election.stand("a\0b", new Listener()))
        .isInstanceOf(IllegalArgumentException.class);
    try (Leadership leading = election.campaign("v")) {
      assertThatThrownBy(() -> leading.publish("x".repeat(2000)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(leading.value()).isEqualTo("v");
      assertThat(leading.isValid()).isTrue();
    }
    assertThat(scene.engine.names()).isZero();
  }
}
