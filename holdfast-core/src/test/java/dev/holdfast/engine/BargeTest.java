package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Transitions;
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

  /** Takes a lock that many of this client wanted: spare tokens come with the grant. */
  private EngineLease contended() {
    Lease theirs = scene.otherClient().acquireAsync("x", SPEC, Request.FOR_EVER).join();
    CompletableFuture<Lease> first = scene.request("x", SPEC);
    List<CompletableFuture<Lease>> others =
        IntStream.range(0, 100).mapToObj(i -> scene.request("x", SPEC)).toList();
    theirs.close();
    others.forEach(other -> other.cancel(false));
    scene.store.joins.clear();
    scene.store.leaves.set(0);
    return (EngineLease) first.join();
  }

  private Lease barge() {
    return scene.engine.acquireAsync("x", SPEC, 0).getNow(null);
  }

  @Test
  void one_that_sleeps_is_overtaken_so_often_and_then_served_for_certain() throws Exception {
    EngineLease first = contended();
    LockShell shell = scene.engine.find("x");
    Request asleep = new Request("x", SPEC, Request.FOR_EVER);
    shell.submitted(asleep); // and its thread never comes to look
    first.close();
    int overtaken = 0;
    while (asleep.outcome == null) {
      Lease barging = barge();
      assertThat(barging).isNotNull();
      barging.close();
      overtaken++;
    }
    assertThat(overtaken).isEqualTo(Transitions.BARGE_LIMIT);
    assertThat(barge()).isNull();
    Hold served = Parking.await(shell, asleep, true);
    scene.engine.lease(shell, served, SPEC).close();
    scene.endIdleClaims();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_signalled_thread_that_comes_in_time_is_served() throws Exception {
    EngineLease first = contended();
    LockShell shell = scene.engine.find("x");
    Request waiting = new Request("x", SPEC, Request.FOR_EVER);
    shell.submitted(waiting);
    assertThat(waiting.outcome != null).isFalse();
    first.close();
    Hold second = Parking.await(shell, waiting, true); // it is signalled, so it does not park
    assertThat(second.token).isGreaterThan(first.token());
    assertThat(scene.store.joins).isEmpty();
  }

  @Test
  void a_signalled_thread_that_gives_up_leaves_the_claim_to_the_next() throws Exception {
    EngineLease first = contended();
    LockShell shell = scene.engine.find("x");
    Request waiting = new Request("x", SPEC, Request.FOR_EVER);
    shell.submitted(waiting);
    var next = scene.request("x", SPEC);
    first.close();
    assertThat(next).isNotDone();
    assertThat(shell.gaveUp(waiting, "interrupted")).isTrue();
    assertThat(next).isCompleted();
  }

  @Test
  void the_last_one_that_gives_up_makes_the_claim_leave() throws Exception {
    EngineLease first = contended();
    LockShell shell = scene.engine.find("x");
    Request waiting = new Request("x", SPEC, Request.FOR_EVER);
    shell.submitted(waiting);
    first.close();
    assertThat(scene.store.leaves).hasValue(0);
    shell.gaveUp(waiting, "interrupted");
    assertThat(scene.store.leaves).hasValue(1);
    assertThat(scene.engine.names()).isZero();
  }
}
