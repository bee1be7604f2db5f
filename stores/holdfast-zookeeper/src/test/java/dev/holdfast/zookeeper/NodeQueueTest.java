package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NodeQueueTest {

  private static final String CONTAINER = NodePaths.container("a");

  @Test
  void order_survives_the_wrap_of_the_counter() {
    NodeQueue queue =
        NodeQueue.of(
            CONTAINER,
            List.of(mutex("c", -2147483647), mutex("a", 2147483646), mutex("b", 2147483647)));

    assertThat(queue.nodes()).extracting(ClaimNode::id).containsExactly("a", "b", "c");
  }

  @Test
  void a_second_node_lowers_the_weight() {
    NodeQueue queue =
        NodeQueue.of(
            CONTAINER,
            List.of(
                "1-w-read_write.2147483647.2147483647.wait-0000000001",
                "1-r-read_write.1.2147483647.wait-0000000002",
                "1-w-lowered.1"));

    assertThat(queue.granted()).isEqualTo(2);
  }

  @Test
  void a_second_node_marks_a_claim_as_keepable() {
    NodeQueue queue =
        NodeQueue.of(
            CONTAINER, List.of("1-a-keepable", mutex("a", 1), mutex("b", 2), mutex("c", 3)));

    assertThat(queue.nodes()).extracting(ClaimNode::keepable).containsExactly(true, false, false);
    assertThat(queue.isBehindKeepable(1)).isTrue();
    assertThat(queue.isBehindKeepable(2)).isFalse();
  }

  @Test
  void the_second_node_of_a_claim_that_has_left_is_ignored() {
    assertThat(NodeQueue.of(CONTAINER, List.of("1-w-lowered.1", "1-w-keepable")).nodes()).isEmpty();
  }

  /** On another server it may have been the first, and granted. */
  @Test
  void a_claim_of_another_kind_blocks_all_claims_behind_it() {
    NodeQueue queue =
        NodeQueue.of(
            CONTAINER, List.of(semaphore("a", 1, 3, 1), mutex("b", 2), semaphore("c", 1, 3, 3)));

    assertThat(queue.granted()).isEqualTo(1);
    assertThat(queue.blockers(2)).extracting(ClaimNode::id).containsExactly("b");
  }

  @Test
  void a_node_of_another_program_is_refused_without_showing_an_id() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () ->
                NodeQueue.of(
                    NodePaths.container("orders"), List.of("1-secret-future.1-0000000001")))
        .withMessageContaining(NodePaths.container("orders") + "/…0000000001")
        .withMessageNotContaining("secret");
  }

  @Test
  void a_waiter_for_a_mutex_watches_the_claim_ahead() {
    NodeQueue queue = NodeQueue.of(CONTAINER, List.of(mutex("a", 1), mutex("b", 2), mutex("c", 3)));

    assertThat(queue.blockers(2)).extracting(ClaimNode::id).containsExactly("b");
  }

  @Test
  void a_reader_watches_the_writer_and_not_the_readers_between() {
    NodeQueue queue =
        NodeQueue.of(
            CONTAINER,
            List.of(
                "1-w-read_write.2147483647.2147483647.wait-0000000001",
                "1-r-read_write.1.2147483647.wait-0000000002",
                "1-s-read_write.1.2147483647.wait-0000000003"));

    assertThat(queue.blockers(2)).extracting(ClaimNode::id).containsExactly("w");
  }

  /** No wake-up is lost: as long as the blockers stay, the claim waits, whatever else leaves. */
  @Test
  void the_blockers_alone_block_a_claim_and_each_of_them_is_needed() {
    Random random = new Random(4711);
    for (int round = 0; round < 2_000; round++) {
      int capacity = 1 + random.nextInt(6);
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 2 + random.nextInt(10); i++) {
        names.add(semaphore("c" + i, 1 + random.nextInt(capacity), capacity, i));
      }
      NodeQueue queue = NodeQueue.of(CONTAINER, names);
      int last = names.size() - 1;
      if (queue.isGranted(last)) {
        continue;
      }
      List<ClaimNode> blockers = queue.blockers(last);
      assertThat(isGrantedBehind(blockers, queue.nodes().get(last))).isFalse();
      for (ClaimNode leaving : blockers) {
        List<ClaimNode> rest = new ArrayList<>(blockers);
        rest.remove(leaving);
        assertThat(isGrantedBehind(rest, queue.nodes().get(last))).isTrue();
      }
    }
  }

  private static boolean isGrantedBehind(List<ClaimNode> ahead, ClaimNode claim) {
    List<String> names = new ArrayList<>(ahead.stream().map(ClaimNode::name).toList());
    names.add(claim.name());
    NodeQueue queue = NodeQueue.of(CONTAINER, names);
    return queue.isGranted(queue.indexOf(claim.name()));
  }

  private static String mutex(String id, int sequence) {
    return "1-" + id + "-mutex.1.1.wait-" + String.format("%010d", sequence);
  }

  private static String semaphore(String id, int weight, int capacity, int sequence) {
    return String.format("1-%s-semaphore.%d.%d.wait-%010d", id, weight, capacity, sequence);
  }
}
