package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueTest {

  private final Keys keys = new Keys("holdfast/");
  private final List<Stored> stored = new ArrayList<>();

  @Test
  void the_queue_is_in_the_order_of_create_indexes_whatever_the_order_of_keys() {
    Claim second = add(claim("a", Kind.MUTEX, 1, 1), 20);
    Claim first = add(claim("b", Kind.MUTEX, 1, 1), 10);
    Queue queue = Queue.of(stored);

    assertThat(queue.indexOf(keys.claim(first))).isZero();
    assertThat(queue.indexOf(keys.claim(second))).isEqualTo(1);
    assertThat(queue.admitted()).isEqualTo(1);
  }

  @Test
  void a_stranger_in_the_queue_is_not_let_in_nor_anybody_behind_it() {
    add(claim("a", Kind.SEMAPHORE, 1, 5), 1);
    add(claim("b", Kind.MUTEX, 1, 1), 2);
    add(claim("c", Kind.SEMAPHORE, 1, 5), 3);
    Queue queue = Queue.of(stored);

    assertThat(queue.admitted()).isEqualTo(1);
    assertThat(queue.blockers(queue.entries().get(2)))
        .extracting(Entry::kind)
        .as("the stranger alone keeps it out")
        .containsExactly(Kind.MUTEX);
  }

  @Test
  void strangers_and_tries_that_do_not_fit_cannot_stay() {
    add(claim("a", Kind.SEMAPHORE, 3, 5), 1);
    add(claim("b", Kind.MUTEX, 1, 1), 2);
    addTry(claim("c", Kind.SEMAPHORE, 3, 5), 3);
    addTry(claim("d", Kind.SEMAPHORE, 1, 5), 4);
    add(claim("e", Kind.SEMAPHORE, 5, 5), 5);
    addTry(claim("f", Kind.SEMAPHORE, 1, 5), 6);
    add(claim("g", Kind.SEMAPHORE, 1, 5), 7);
    Queue queue = Queue.of(stored);

    assertThat(queue.strays(6))
        .extracting(Entry::key)
        .as("d fits once the others have gone")
        .containsExactly("holdfast/lock@b", "holdfast/lock@c", "holdfast/lock@f");
    assertThat(queue.without(queue.strays(6)).admitted()).isEqualTo(2);
  }

  @Test
  void as_few_are_named_as_keep_a_claim_out() {
    add(claim("a", Kind.SEMAPHORE, 2, 5), 1);
    add(claim("b", Kind.SEMAPHORE, 2, 5), 2);
    add(claim("c", Kind.SEMAPHORE, 1, 5), 3);
    add(claim("d", Kind.SEMAPHORE, 3, 5), 4);
    Queue queue = Queue.of(stored);

    assertThat(queue.blockers(queue.entries().get(3))).hasSize(2);
  }

  @Test
  void a_record_of_a_newer_version_is_refused() {
    stored.add(new Stored("holdfast/lock@a", "2 SOMETHING new", "s", 1, 1));

    assertThatThrownBy(() -> Queue.of(stored))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("key holdfast/lock@…")
        .hasMessageContaining("another format than 1");
  }

  private Claim add(Claim claim, long index) {
    return add(claim, true, index);
  }

  private void addTry(Claim claim, long index) {
    add(claim, false, index);
  }

  private Claim add(Claim claim, boolean waits, long index) {
    String record = Entry.record(claim, waits, claim.ttl(), 0);
    stored.add(new Stored(keys.claim(claim), record, "session", index, index));
    return claim;
  }

  private static Claim claim(String id, Kind kind, int weight, int capacity) {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    return new Claim(id, "lock", kind, weight, capacity, owner, Duration.ofSeconds(10), null, 0, 0);
  }
}
