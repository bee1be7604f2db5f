package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockEvent;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.LockStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ListenerTest {

  /** Writes down what it hears of leases and failures. */
  private static final class Scribe implements HoldfastListener {
    final List<String> heard = new ArrayList<>();

    @Override
    public void happened(LockEvent event) {
      String what = event.lock() + " " + event.token();
      switch (event.type()) {
        case GRANTED, HANDED_OFF -> heard.add("acquired " + what + " after " + event.duration());
        case RELEASED -> heard.add("released " + what + " after " + event.duration());
        case JEOPARDY ->
            heard.add("jeopardy " + what + " with " + event.duration().toSeconds() + " s left");
        case LOST -> heard.add("lost " + what + ": " + event.outcome());
        case WAIT_ENDED -> {
          if (!event.outcome().equals("granted")) {
            heard.add(event.outcome() + " " + event.lock() + " after " + event.duration());
          }
        }
        case STORE_CALL -> {
          if (event.cause() != null) {
            heard.add("no answer to " + event.verb() + " of " + event.lock());
          }
        }
        default -> {}
      }
    }
  }

  /** Throws on every event. */
  private static final class Thrower implements HoldfastListener {
    @Override
    public void happened(LockEvent event) {
      switch (event.type()) {
        case GRANTED -> throw new IllegalStateException("granted");
        case RELEASED -> throw new AssertionError("released");
        case LOST -> throw new StackOverflowError("lost");
        default -> {}
      }
    }
  }

  private final Scribe scribe = new Scribe();

  private static HoldfastListener storeCalls(List<LockEvent> calls) {
    return event -> {
      if (event.type() == LockEvent.Type.STORE_CALL) {
        calls.add(event);
      }
    };
  }

  @Test
  void it_learns_of_grant_and_release_with_the_times() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      Lease first = scene.request("x", MUTEX).join();
      CompletableFuture<Lease> second = scene.request("x", MUTEX);
      scene.advance(Duration.ofMillis(40));
      first.close();
      assertThat(scribe.heard)
          .containsExactly(
              "acquired x " + first.token() + " after PT0S",
              "released x " + first.token() + " after PT0.04S",
              "acquired x " + second.join().token() + " after PT0.04S");
    }
  }

  @Test
  void it_learns_of_re_entry_only_when_it_ends() throws Exception {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      Lease outer = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
      Lease inner = scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
      inner.close();
      assertThat(scribe.heard).hasSize(1);
      outer.close();
      assertThat(scribe.heard).hasSize(2);
    }
  }

  @Test
  void it_learns_of_every_request_that_gives_up() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      scene.engine.acquireAsync("x", MUTEX, ofSeconds(2).toNanos());
      CompletableFuture<Lease> cancelled = scene.request("x", MUTEX);
      scene.advance(ofSeconds(1));
      cancelled.cancel(false);
      scene.advance(ofSeconds(1));
      assertThat(scribe.heard).containsExactly("cancelled x after PT1S", "timeout x after PT2S");
    }
  }

  @Test
  void it_learns_of_jeopardy_once_and_of_the_recovery_nothing() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      Lease lease = scene.request("x", MUTEX).join();
      scribe.heard.clear();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(16));
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.advance(ofSeconds(60));
      assertThat(scribe.heard).containsExactly("jeopardy x " + lease.token() + " with 7 s left");
      scribe.heard.clear();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(10));
      assertThat(scribe.heard).hasSize(1); // another one
    }
  }

  @Test
  void it_learns_of_a_loss_with_the_reason() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      Lease evicted = scene.request("evicted", MUTEX).join();
      Lease outstayed =
          scene.request("outstayed", LockSpec.mutex(OPTIONS.maxHold(ofSeconds(40)))).join();
      scene.otherClient().evict("evicted", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(40));
      Lease silent = scene.request("silent", MUTEX).join();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(30));
      assertThat(scribe.heard)
          .contains(
              "lost evicted " + evicted.token() + ": ENDED_BY_STORE",
              "lost outstayed " + outstayed.token() + ": MAX_HOLD",
              "lost silent " + silent.token() + ": UNCONFIRMED");
    }
  }

  @Test
  void no_jeopardy_is_reported_after_the_loss() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      Lease lease = scene.request("x", LockSpec.mutex(OPTIONS.maxHold(ofSeconds(40)))).join();
      scene.advance(ofSeconds(29));
      scribe.heard.clear();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(10)); // lost after 32.5 s, overdue after 35 s
      lease.close();
      assertThat(scribe.heard).containsExactly("lost x " + lease.token() + ": MAX_HOLD");
    }
  }

  @Test
  void no_renewal_is_reported_after_the_loss() {
    List<LockEvent.Type> heard = new ArrayList<>();
    try (Scene scene = Scene.listenedToBy(event -> heard.add(event.type()))) {
      scene.request("x", LockSpec.mutex(OPTIONS.maxHold(ofSeconds(40)))).join();
      scene.advance(ofSeconds(29));
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(ofSeconds(4)); // lost after 32.5 s
      scene.faults.answer();
      assertThat(heard)
          .endsWith(LockEvent.Type.LOST, LockEvent.Type.STORE_CALL)
          .contains(LockEvent.Type.RENEWED);
    }
  }

  @Test
  void it_learns_when_the_store_does_not_answer() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      scene.faults.set(Verb.JOIN, Manner.FAILS);
      assertThat(scene.request("x", MUTEX)).isCompletedExceptionally();
      scene.faults.set(Verb.JOIN, Manner.ANSWERS);
      Lease lease = scene.request("y", MUTEX).join();
      scene.faults.set(Verb.REFRESH, Manner.FAILS);
      scene.advance(ofSeconds(10));
      scene.faults.set(Verb.LEAVE, Manner.FAILS);
      lease.close();
      assertThat(scribe.heard)
          .contains(
              "no answer to join of x", "no answer to refresh of y", "no answer to leave of y");
    }
  }

  @Test
  void it_learns_of_each_store_call_once_however_many_locks_it_concerns() {
    List<LockEvent> calls = new ArrayList<>();
    try (Scene scene = Scene.listenedToBy(storeCalls(calls))) {
      for (String name : List.of("a", "b", "c")) {
        scene.request(name, MUTEX).join();
      }
      calls.clear();
      scene.advance(ofSeconds(10));
      assertThat(scene.store.refreshes).hasSize(1);
      assertThat(calls)
          .extracting(LockEvent::verb, LockEvent::lock, LockEvent::outcome)
          .containsExactly(tuple("refresh", "", "answered"));
      calls.clear();
      scene.engine.close();
      assertThat(scene.store.leaves).hasValue(1);
      assertThat(calls)
          .extracting(LockEvent::verb, LockEvent::lock, LockEvent::outcome)
          .containsExactly(tuple("leave", "", "answered"));
    }
  }

  @Test
  void it_learns_how_long_a_store_call_took_and_how_it_ended() {
    List<LockEvent> calls = new ArrayList<>();
    try (Scene scene = Scene.listenedToBy(storeCalls(calls))) {
      scene.faults.setAll(Manner.ANSWERS_LATE);
      CompletableFuture<Lease> asked = scene.request("x", MUTEX);
      scene.advance(ofSeconds(2));
      scene.faults.answer();
      scene.advance(ofSeconds(8)); // a renewal goes out ten seconds after the join did
      scene.advance(ofSeconds(1));
      scene.faults.answer();
      CompletableFuture<Boolean> released = asked.join().releaseAsync();
      scene.advance(ofSeconds(5)); // the operation time-out
      assertThat(released).isCompletedExceptionally();
      scene.faults.setAll(Manner.ANSWERS);
      assertThat(calls)
          .extracting(LockEvent::verb, LockEvent::lock, LockEvent::outcome, LockEvent::duration)
          .startsWith(
              tuple("join", "x", "answered", ofSeconds(2)),
              tuple("refresh", "x", "answered", ofSeconds(1)),
              tuple("leave", "x", "failed", ofSeconds(5)));
      assertThat(calls.get(2).cause()).isInstanceOf(TimeoutException.class);
    }
  }

  @Test
  void it_learns_of_renewals_hand_off_and_loss_with_their_durations() {
    List<LockEvent> events = new ArrayList<>();
    try (Scene scene = Scene.listenedToBy(events::add)) {
      Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
      CompletableFuture<Lease> asked = scene.request("x", MUTEX);
      CompletableFuture<Lease> second = scene.request("x", MUTEX);
      theirs.close();
      Lease first = asked.join();
      scene.advance(Duration.ofMillis(40));
      first.close();
      assertThat(events)
          .filteredOn(event -> event.type() == LockEvent.Type.HANDED_OFF)
          .extracting(LockEvent::lock, LockEvent::token, LockEvent::duration)
          .containsExactly(tuple("x", second.join().token(), Duration.ofMillis(40)));
      assertThat(events)
          .filteredOn(event -> event.type() == LockEvent.Type.GRANTED)
          .extracting(LockEvent::token)
          .containsExactly(first.token());

      scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
      scene.advance(ofSeconds(10)); // the renewal went out 40 ms before
      scene.faults.answer();
      scene.faults.set(Verb.REFRESH, Manner.FAILS);
      scene.advance(ofSeconds(10));
      scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(1));
      List<LockEvent> renewals =
          events.stream().filter(event -> event.type() == LockEvent.Type.RENEWED).toList();
      assertThat(renewals)
          .allMatch(event -> event.token() == second.join().token())
          .extracting(LockEvent::outcome)
          .startsWith("confirmed", "unknown")
          .endsWith("gone");
      assertThat(renewals.get(0).duration()).isEqualTo(Duration.ofMillis(40));
      assertThat(events)
          .filteredOn(event -> event.type() == LockEvent.Type.LOST)
          .extracting(LockEvent::token, LockEvent::outcome, event -> event.duration().toSeconds())
          .containsExactly(tuple(second.join().token(), "ENDED_BY_STORE", 20L));
    }
  }

  @Test
  void it_learns_of_the_leases_that_end_with_the_client() {
    try (Scene scene = Scene.listenedToBy(scribe)) {
      Lease lease = scene.request("x", MUTEX).join();
      scene.engine.close();
      assertThat(scribe.heard).contains("released x " + lease.token() + " after PT0S");
    }
  }

  @Test
  void one_that_throws_disturbs_nobody_and_is_logged_once() {
    try (Logs.Recording logs = Logs.record();
        Scene scene = Scene.listenedToBy(new Thrower())) {
      AtomicInteger losses = new AtomicInteger();
      for (int i = 0; i < 3; i++) {
        assertThat(scene.request("x", MUTEX).join().release()).isTrue();
      }
      Lease lease = scene.request("x", MUTEX).join();
      lease.onLost(losses::incrementAndGet);
      Lease healthy = scene.otherClient().acquireAsync("y", MUTEX, Request.FOR_EVER).join();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(30));
      assertThat(losses).hasValue(1);
      assertThat(healthy.isValid()).isTrue();
      assertThat(logs.atLeast(Level.ERROR))
          .containsExactly("A listener failed; further failures are not logged");
    }
  }

  @Test
  void an_action_that_throws_disturbs_no_other_action() {
    try (Logs.Recording logs = Logs.record();
        Scene scene = Scene.plain()) {
      AtomicInteger losses = new AtomicInteger();
      Lease lease = scene.request("x", MUTEX).join();
      lease.onLost(
          () -> {
            throw new IllegalStateException("on purpose");
          });
      lease.onLost(losses::incrementAndGet);
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(10));
      assertThat(losses).hasValue(1);
      assertThat(logs.atLeast(Level.ERROR)).containsExactly("An action for the loss of 'x' failed");
    }
  }

  @Test
  void what_is_logged_names_the_lock_and_never_the_claim() {
    try (Logs.Recording logs = Logs.record();
        Scene scene = Scene.plain()) {
      Lease lease = scene.request("x", MUTEX).join();
      String id = scene.store.joins.get(0).id();
      scene.faults.setAll(Manner.IGNORES);
      scene.advance(ofSeconds(30));
      lease.releaseAsync();
      scene.advance(Duration.ofMinutes(2));
      assertThat(logs.atLeast(Level.WARNING))
          .contains(
              "Renewal of 'x' is overdue",
              "Lease on 'x' (token " + lease.token() + ") is lost: it was not confirmed in time");
      assertThat(logs.atLeast(Level.DEBUG)).noneMatch(line -> line.contains(id));
    }
  }
}
