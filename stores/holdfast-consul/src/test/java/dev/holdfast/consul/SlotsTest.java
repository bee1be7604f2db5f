package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SlotsTest {

  @Test
  void no_more_run_at_a_time_than_there_are_slots_and_the_others_follow_in_their_order() {
    Slots slots = new Slots(2);
    List<Integer> started = new ArrayList<>();
    Deque<CompletableFuture<Void>> running = new ArrayDeque<>();
    for (int i = 0; i < 5; i++) {
      int number = i;
      slots.run(
          () -> {
            started.add(number);
            CompletableFuture<Void> task = new CompletableFuture<>();
            running.add(task);
            return task;
          });
    }
    assertThat(started).containsExactly(0, 1);

    running.remove().complete(null);
    assertThat(started).containsExactly(0, 1, 2);
    running.remove().completeExceptionally(new IllegalStateException("it does not matter how"));
    running.remove().complete(null);

    assertThat(started).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void tasks_that_end_at_once_do_not_pile_up_on_the_stack() {
    Slots slots = new Slots(1);
    CompletableFuture<Void> first = new CompletableFuture<>();
    AtomicInteger ended = new AtomicInteger();
    slots.run(() -> first);
    for (int i = 0; i < 100_000; i++) {
      slots.run(
          () -> {
            ended.incrementAndGet();
            return CompletableFuture.completedFuture(null);
          });
    }

    first.complete(null);

    assertThat(ended).hasValue(100_000);
  }

  @Test
  void a_task_that_cannot_be_started_gives_its_slot_back() {
    Slots slots = new Slots(1);
    AtomicInteger started = new AtomicInteger();

    slots.run(
        () -> {
          throw new IllegalStateException("it cannot be started");
        });
    slots.run(
        () -> {
          started.incrementAndGet();
          return new CompletableFuture<>();
        });

    assertThat(started).hasValue(1);
  }
}
