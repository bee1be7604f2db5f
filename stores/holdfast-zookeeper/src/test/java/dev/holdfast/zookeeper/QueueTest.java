package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QueueTest {

  @Test
  void order_survives_the_wrap_of_the_counter() {
    Queue queue =
        Queue.of(List.of(mutex("c", -2147483647), mutex("a", 2147483646), mutex("b", 2147483647)));

    assertThat(queue.nodes()).extracting(Node::id).containsExactly("a", "b", "c");
  }

  @Test
  void a_second_node_lowers_the_weight() {
    Queue queue =
        Queue.of(
            List.of(
                "1-w-read_write.2147483647.2147483647.wait-0000000001",
                "1-r-read_write.1.2147483647.wait-0000000002",
                "1-w-lowered.1"));

    assertThat(queue.admitted()).isEqualTo(2);
  }

  @Test
  void the_second_node_of_a_claim_that_is_gone_counts_for_nothing() {
    assertThat(Queue.of(List.of("1-w-lowered.1")).nodes()).isEmpty();
  }

  /** On another server it may have been the first, and let in. */
  @Test
  void nobody_passes_a_claim_that_uses_the_lock_as_something_else() {
    Queue queue =
        Queue.of(List.of(semaphore("a", 1, 3, 1), mutex("b", 2), semaphore("c", 1, 3, 3)));

    assertThat(queue.admitted()).isEqualTo(1);
    assertThat(queue.blockers(2)).extracting(Node::id).containsExactly("b");
  }

  @Test
  void a_node_of_another_program_is_refused_without_showing_an_id() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () -> Queue.of(Names.container("orders"), List.of("1-secret-future.1-0000000001")))
        .withMessageContaining(Names.container("orders") + "/…0000000001")
        .withMessageNotContaining("secret");
  }

  @Test
  void who_waits_for_a_mutex_watches_the_one_ahead() {
    Queue queue = Queue.of(List.of(mutex("a", 1), mutex("b", 2), mutex("c", 3)));

    assertThat(queue.blockers(2)).extracting(Node::id).containsExactly("b");
  }

  @Test
  void a_reader_watches_the_writer_and_not_the_readers_between() {
    Queue queue =
        Queue.of(
            List.of(
                "1-w-read_write.2147483647.2147483647.wait-0000000001",
                "1-r-read_write.1.2147483647.wait-0000000002",
                "1-s-read_write.1.2147483647.wait-0000000003"));

    assertThat(queue.blockers(2)).extracting(Node::id).containsExactly("w");
  }

  /** No wake-up is lost: whatever else leaves, who is not let in stays out while these stay. */
  @Test
  void the_blockers_alone_keep_a_claim_out_and_none_of_them_is_too_many() {
    Random random = new Random(4711);
    for (int round = 0; round < 2_000; round++) {
      int capacity = 1 + random.nextInt(6);
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 2 + random.nextInt(10); i++) {
        names.add(semaphore("c" + i, 1 + random.nextInt(capacity), capacity, i));
      }
      Queue queue = Queue.of(names);
      int last = names.size() - 1;
      if (queue.isAdmitted(last)) {
        continue;
      }
      List<Node> blockers = queue.blockers(last);
      assertThat(admittedBehind(blockers, queue.nodes().get(last))).isFalse();
      for (Node leaving : blockers) {
        List<Node> rest = new ArrayList<>(blockers);
        rest.remove(leaving);
        assertThat(admittedBehind(rest, queue.nodes().get(last))).isTrue();
      }
    }
  }

  private static boolean admittedBehind(List<Node> ahead, Node claim) {
    List<String> names = new ArrayList<>(ahead.stream().map(Node::name).toList());
    names.add(claim.name());
    Queue queue = Queue.of(names);
    return queue.isAdmitted(queue.indexOf(claim.name()));
  }

  private static String mutex(String id, int sequence) {
    return "1-" + id + "-mutex.1.1.wait-" + String.format("%010d", sequence);
  }

  private static String semaphore(String id, int weight, int capacity, int sequence) {
    return String.format("1-%s-semaphore.%d.%d.wait-%010d", id, weight, capacity, sequence);
  }
}
