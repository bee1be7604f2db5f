package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Turns;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A running thread may take an idle claim before the one that sleeps wakes, but not for ever. */
class BargeTest {

  private static final LockSpec SPEC = LockSpec.mutex(OPTIONS.reentrant(false));

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  private static LockShell shell(Hold hold) {
    return (LockShell) hold.tenure.shell;
  }

  /** Takes a lock that many of this client wanted: spare tokens come with the grant. */
  private Hold contended() {
    Lease theirs = scene.otherClient().acquireAsync("x", SPEC, Request.FOR_EVER).join();
    CompletableFuture<Lease> first = scene.request("x", SPEC);
    List<CompletableFuture<Lease>> others =
        IntStream.range(0, 100).mapToObj(i -> scene.request("x", SPEC)).toList();
    theirs.close();
    others.forEach(other -> other.cancel(false));
    scene.store.joins.clear();
    scene.store.leaves.set(0);
    return ((EngineLease) first.join()).hold();
  }

  private Lease barge() {
    return scene.engine.acquireAsync("x", SPEC, 0).getNow(null);
  }

  @Test
  void one_that_sleeps_is_overtaken_so_often_and_then_served_for_certain() throws Exception {
    Hold first = contended();
    Request asleep = new Request("x", SPEC, Request.FOR_EVER);
    shell(first).submitted(asleep); // and its thread never comes to look
    scene.engine.lease(first, MUTEX).close();
    int overtaken = 0;
    while (asleep.outcome() == null) {
      Lease barging = barge();
      assertThat(barging).isNotNull();
      barging.close();
      overtaken++;
    }
    assertThat(overtaken).isEqualTo(Turns.BARGE_LIMIT);
    assertThat(barge()).isNull();
    scene.engine.lease(Parking.await(shell(first), asleep, true), MUTEX).close();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_signalled_thread_that_comes_in_time_is_served() throws Exception {
    Hold first = contended();
    Request waiting = new Request("x", SPEC, Request.FOR_EVER);
    shell(first).submitted(waiting);
    assertThat(waiting.outcome() != null).isFalse();
    scene.engine.lease(first, MUTEX).close();
    Hold second =
        Parking.await(shell(first), waiting, true); // it is signalled, so it does not park
    assertThat(second.token).isGreaterThan(first.token);
    assertThat(scene.store.joins).isEmpty();
  }

  @Test
  void a_signalled_thread_that_gives_up_leaves_the_claim_to_the_next() throws Exception {
    Hold first = contended();
    Request waiting = new Request("x", SPEC, Request.FOR_EVER);
    shell(first).submitted(waiting);
    var next = scene.request("x", SPEC);
    scene.engine.lease(first, MUTEX).close();
    assertThat(next).isNotDone();
    assertThat(shell(first).gaveUp(waiting, "interrupted")).isTrue();
    assertThat(next).isCompleted();
  }

  @Test
  void the_last_one_that_gives_up_makes_the_claim_leave() throws Exception {
    Hold first = contended();
    Request waiting = new Request("x", SPEC, Request.FOR_EVER);
    shell(first).submitted(waiting);
    scene.engine.lease(first, MUTEX).close();
    assertThat(scene.store.leaves).hasValue(0);
    shell(first).gaveUp(waiting, "interrupted");
    assertThat(scene.store.leaves).hasValue(1);
    assertThat(scene.engine.names()).isZero();
  }
}
