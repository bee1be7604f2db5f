package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
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

  private Lease barge() {
    return scene.engine.acquireAsync("x", SPEC, Request.NO_WAIT).getNow(null);
  }

  @Test
  void one_that_sleeps_is_overtaken_so_often_and_then_served_for_certain() throws Exception {
    Hold first = scene.engine.acquire("x", SPEC, null, true);
    BlockingRequest asleep = new BlockingRequest("x", SPEC, null);
    first.tenure.queue.submit(asleep); // and its thread never comes to look
    new EngineLease(first, MUTEX).close();
    int overtaken = 0;
    while (!asleep.isDecided()) {
      Lease barging = barge();
      assertThat(barging).isNotNull();
      barging.close();
      overtaken++;
    }
    assertThat(overtaken).isEqualTo(Turns.BARGE_LIMIT);
    assertThat(barge()).isNull();
    new EngineLease(asleep.await(first.tenure.queue, true), MUTEX).close();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_signalled_thread_that_comes_in_time_is_served() throws Exception {
    Hold first = scene.engine.acquire("x", SPEC, null, true);
    BlockingRequest waiting = new BlockingRequest("x", SPEC, null);
    first.tenure.queue.submit(waiting);
    assertThat(waiting.isDecided()).isFalse();
    new EngineLease(first, MUTEX).close();
    Hold second = waiting.await(first.tenure.queue, true); // it is signalled, so it does not park
    assertThat(second.token).isGreaterThan(first.token);
    assertThat(scene.store.joins).hasSize(1);
  }

  @Test
  void a_signalled_thread_that_gives_up_leaves_the_claim_to_the_next() throws Exception {
    Hold first = scene.engine.acquire("x", SPEC, null, true);
    BlockingRequest waiting = new BlockingRequest("x", SPEC, null);
    first.tenure.queue.submit(waiting);
    var next = scene.request("x", SPEC);
    new EngineLease(first, MUTEX).close();
    assertThat(next).isNotDone();
    assertThat(first.tenure.queue.giveUp(waiting)).isTrue();
    assertThat(next).isCompleted();
  }

  @Test
  void the_last_one_that_gives_up_makes_the_claim_leave() throws Exception {
    Hold first = scene.engine.acquire("x", SPEC, null, true);
    BlockingRequest waiting = new BlockingRequest("x", SPEC, null);
    first.tenure.queue.submit(waiting);
    new EngineLease(first, MUTEX).close();
    assertThat(scene.store.leaves).hasValue(0);
    first.tenure.queue.giveUp(waiting);
    assertThat(scene.store.leaves).hasValue(1);
    assertThat(scene.engine.names()).isZero();
  }
}
