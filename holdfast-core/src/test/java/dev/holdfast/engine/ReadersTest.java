package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadersTest {

  private static final Duration A_SLICE = Duration.ofNanos(Tenure.SLICE_NANOS);

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
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.engine.inspect("doc").holders()).hasSize(1);
  }

  @Test
  void the_answer_to_an_earlier_renewal_does_not_say_that_there_are_no_more_tokens()
      throws Exception {
    Lease first = scene.request("doc", READ).join();
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
    Background<Boolean> renewing = Background.start(() -> renew(first)).awaitWaiting();
    scene.faults.set(Verb.REFRESH, Manner.IGNORES);
    CompletableFuture<Lease> second = scene.request("doc", READ);
    scene.faults.answer();
    assertThat(second).isNotDone();
    assertThat(scene.store.joins).hasSize(1);
    assertThat(renewing.get()).isTrue();
  }

  private static boolean renew(Lease lease) {
    lease.renew();
    return true;
  }

  @Test
  void the_claim_stays_until_the_last_reader_has_gone() {
    Lease first = scene.request("doc", READ).join();
    Lease second = scene.request("doc", READ).join();
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
  void readers_share_for_a_slice_and_then_the_writer_of_another_client_comes_first() {
    Lease reading = scene.request("doc", READ).join();
    Engine other = scene.otherClient();
    CompletableFuture<Lease> writer = other.acquireAsync("doc", WRITE, null);
    Lease withinTheSlice = scene.request("doc", READ).join();
    scene.advance(A_SLICE);
    CompletableFuture<Lease> afterTheSlice = scene.request("doc", READ);
    assertThat(afterTheSlice).isNotDone();
    reading.close();
    assertThat(writer).isNotDone();
    withinTheSlice.close();
    assertThat(writer).isCompleted();
    assertThat(afterTheSlice).isNotDone();
    writer.join().close();
    assertThat(afterTheSlice).isCompleted();
    assertThat(afterTheSlice.join().token()).isGreaterThan(writer.join().token());
  }

  @Test
  void readers_that_come_one_after_the_other_without_a_gap_do_not_starve_a_writer() {
    Lease reading = scene.request("doc", READ).join();
    CompletableFuture<Lease> writer = scene.otherClient().acquireAsync("doc", WRITE, null);
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
  void one_claim_serves_so_many_readers_and_then_another_one_is_made() {
    for (int i = 0; i <= Tenure.SLICE_PASSES; i++) {
      assertThat(scene.request("doc", READ)).isCompleted();
    }
    assertThat(scene.store.joins).hasSize(1);
    assertThat(scene.request("doc", READ)).isCompleted();
    assertThat(scene.store.joins).hasSize(2);
  }

  @Test
  void when_a_waiting_writer_gives_up_the_reader_behind_it_gets_in_at_once() {
    Lease theirs = scene.otherClient().acquireAsync("doc", READ, null).join();
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
    Lease theirs = scene.otherClient().acquireAsync("doc", READ, null).join();
    assertThat(ours.isValid()).isTrue();
    assertThat(theirs.token()).isGreaterThan(ours.token());
  }

  @Test
  void a_thread_that_reads_may_read_again_with_the_same_token() throws Exception {
    Hold outer = scene.engine.acquire("doc", READ, null, true);
    Hold inner = scene.engine.acquire("doc", READ, null, true);
    assertThat(inner).isSameAs(outer);
    new EngineLease(inner, READ).close();
    assertThat(scene.store.leaves).hasValue(0);
    new EngineLease(outer, READ).close();
    assertThat(scene.store.leaves).hasValue(1);
  }

  @Test
  void a_thread_that_writes_may_read_with_the_same_token() throws Exception {
    Hold writing = scene.engine.acquire("doc", WRITE, null, true);
    Hold reading = scene.engine.acquire("doc", READ, Request.NO_WAIT, true);
    assertThat(reading).isNotNull();
    assertThat(reading.token).isEqualTo(writing.token);
  }

  @Test
  void a_thread_that_reads_is_refused_as_a_writer_because_two_of_them_would_wait_for_ever()
      throws Exception {
    Hold reading = scene.engine.acquire("doc", READ, null, true);
    for (Duration wait : new Duration[] {null, Request.NO_WAIT, Duration.ofSeconds(1)}) {
      assertThatThrownBy(() -> scene.engine.acquire("doc", WRITE, wait, true))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this thread reads 'doc'; close that lease before writing");
    }
    new EngineLease(reading, READ).close();
    assertThat(scene.engine.acquire("doc", WRITE, Request.NO_WAIT, true)).isNotNull();
  }

  @Test
  void a_writer_that_only_tries_is_told_busy_while_somebody_reads() {
    scene.request("doc", READ).join();
    assertThat(scene.engine.acquireAsync("doc", WRITE, Request.NO_WAIT)).isCompletedWithValue(null);
  }
}
