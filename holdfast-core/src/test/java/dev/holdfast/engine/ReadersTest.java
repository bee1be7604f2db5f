package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadersTest {

  private static final Duration A_SLICE = Duration.ofNanos(Slice.NANOS);

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void readers_of_one_client_share_a_claim_and_each_has_its_own_token() {
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Lease lease = scene.request("doc", READ).join();
      assertThat(lease.proof().mode()).isEqualTo(Mode.SHARED);
      tokens.add(lease.token());
    }
    assertThat(tokens).doesNotHaveDuplicates().isSorted();
    assertThat(scene.store.joins).hasSizeLessThan(7); // each brings as many tokens as read by then
  }

  @Test
  void the_claim_stays_until_the_last_reader_has_gone() {
    Lease theirs = scene.otherClient().acquireAsync("doc", WRITE, Request.FOR_EVER).join();
    CompletableFuture<Lease> one = scene.request("doc", READ);
    CompletableFuture<Lease> other = scene.request("doc", READ);
    theirs.close();
    Lease first = one.join();
    Lease second = other.join();
    assertThat(first.release()).isTrue();
    assertThat(scene.store.leaves).hasValue(0);
    assertThat(second.isValid()).isTrue();
    assertThat(second.release()).isTrue();
    assertThat(scene.store.leaves).hasValue(1);
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void a_writer_waits_for_all_readers_and_then_runs_alone() {
    Lease first = scene.request("doc", READ).join();
    Lease second = scene.request("doc", READ).join();
    CompletableFuture<Lease> writer = scene.request("doc", WRITE);
    first.close();
    assertThat(writer).isNotDone();
    second.close();
    assertThat(writer).isCompleted();
    assertThat(writer.join().proof().mode()).isEqualTo(Mode.EXCLUSIVE);
    assertThat(writer.join().token()).isGreaterThan(second.token());
    assertThat(scene.request("doc", READ)).isNotDone();
  }

  @Test
  void a_reader_does_not_overtake_a_writer_that_waits_in_the_same_client() {
    Lease first = scene.request("doc", READ).join();
    CompletableFuture<Lease> writer = scene.request("doc", WRITE);
    CompletableFuture<Lease> late = scene.request("doc", READ);
    assertThat(late).isNotDone();
    first.close();
    assertThat(writer).isCompleted();
    assertThat(late).isNotDone();
    writer.join().close();
    assertThat(late).isCompleted();
  }

  @Test
  void readers_behind_a_writer_run_together_once_it_has_gone() {
    Lease writer = scene.request("doc", WRITE).join();
    List<CompletableFuture<Lease>> readers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      readers.add(scene.request("doc", READ));
    }
    assertThat(readers).noneMatch(CompletableFuture::isDone);
    writer.close();
    assertThat(readers).allMatch(CompletableFuture::isDone);
  }

  @Test
  void a_reader_that_comes_behind_the_writer_of_another_client_waits_for_it() {
    Lease reading = scene.request("doc", READ).join();
    CompletableFuture<Lease> writer =
        scene.otherClient().acquireAsync("doc", WRITE, Request.FOR_EVER);
    CompletableFuture<Lease> late = scene.request("doc", READ);
    assertThat(late).isNotDone();
    reading.close();
    assertThat(writer).isCompleted();
    assertThat(late).isNotDone();
    writer.join().close();
    assertThat(late).isCompleted();
    assertThat(late.join().token()).isGreaterThan(writer.join().token());
  }

  @Test
  void readers_share_for_a_slice_and_then_the_store_decides() {
    Lease theirs = scene.otherClient().acquireAsync("doc", WRITE, Request.FOR_EVER).join();
    CompletableFuture<Lease> first = scene.request("doc", READ);
    CompletableFuture<Lease> second = scene.request("doc", READ);
    theirs.close();
    assertThat(first).isCompleted();
    assertThat(second).isCompleted(); // by a token that came with the claim
    assertThat(scene.store.joins).hasSize(1);
    scene.advance(A_SLICE);
    assertThat(scene.request("doc", READ)).isCompleted();
    assertThat(scene.store.joins).hasSize(2);
  }

  @Test
  void readers_that_come_one_after_the_other_without_a_gap_do_not_starve_a_writer() {
    Lease reading = scene.request("doc", READ).join();
    CompletableFuture<Lease> writer =
        scene.otherClient().acquireAsync("doc", WRITE, Request.FOR_EVER);
    int overtaken = 0;
    while (!writer.isDone()) {
      CompletableFuture<Lease> next = scene.request("doc", READ);
      scene.advance(Duration.ofMillis(10));
      reading.close();
      if (!next.isDone()) {
        break;
      }
      reading = next.join();
      overtaken++;
      assertThat(overtaken).isLessThanOrEqualTo(11); // one slice of 100 ms
    }
    assertThat(writer).isCompleted();
  }

  @Test
  void one_claim_serves_a_limited_number_of_readers_and_then_another_one_is_made() {
    for (int i = 0; i <= 2 * Slice.PASSES; i++) {
      assertThat(scene.request("doc", READ)).isCompleted();
    }
    assertThat(scene.store.joins)
        .hasSizeBetween(3, 15)
        .allMatch(claim -> claim.spares() <= Slice.PASSES);
  }

  @Test
  void when_a_waiting_writer_gives_up_the_reader_behind_it_gets_in_at_once() {
    Lease theirs = scene.otherClient().acquireAsync("doc", READ, Request.FOR_EVER).join();
    CompletableFuture<Lease> writer = scene.request("doc", WRITE);
    CompletableFuture<Lease> reader = scene.request("doc", READ);
    assertThat(reader).isNotDone();
    writer.cancel(false);
    assertThat(reader).isCompleted();
    assertThat(theirs.isValid()).isTrue();
  }

  @Test
  void readers_of_two_clients_run_at_the_same_time() {
    Lease ours = scene.request("doc", READ).join();
    Lease theirs = scene.otherClient().acquireAsync("doc", READ, Request.FOR_EVER).join();
    assertThat(ours.isValid()).isTrue();
    assertThat(theirs.token()).isGreaterThan(ours.token());
  }

  @Test
  void a_thread_that_reads_may_read_again_with_the_same_token() throws Exception {
    EngineLease outer = scene.engine.acquire("doc", READ, Request.FOR_EVER, true);
    EngineLease inner = scene.engine.acquire("doc", READ, Request.FOR_EVER, true);
    assertThat(inner.hold).isSameAs(outer.hold);
    inner.close();
    assertThat(scene.store.leaves).hasValue(0);
    outer.close();
    assertThat(scene.store.leaves).hasValue(1);
  }

  @Test
  void a_thread_that_writes_may_read_with_the_same_token() throws Exception {
    Lease writing = scene.engine.acquire("doc", WRITE, Request.FOR_EVER, true);
    Lease reading = scene.engine.acquire("doc", READ, 0, true);
    assertThat(reading).isNotNull();
    assertThat(reading.token()).isEqualTo(writing.token());
  }

  @Test
  void a_thread_that_reads_is_refused_as_a_writer_because_two_of_them_would_wait_for_ever()
      throws Exception {
    Lease reading = scene.engine.acquire("doc", READ, Request.FOR_EVER, true);
    for (long wait : new long[] {Request.FOR_EVER, 0, 1_000_000_000}) {
      assertThatThrownBy(() -> scene.engine.acquire("doc", WRITE, wait, true))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this thread reads 'doc'; close that lease before writing");
    }
    reading.close();
    assertThat(scene.engine.acquire("doc", WRITE, 0, true)).isNotNull();
  }

  @Test
  void a_writer_that_only_tries_is_answered_busy_while_somebody_reads() {
    scene.request("doc", READ).join();
    assertThat(scene.engine.acquireAsync("doc", WRITE, 0)).isCompletedWithValue(null);
  }
}
