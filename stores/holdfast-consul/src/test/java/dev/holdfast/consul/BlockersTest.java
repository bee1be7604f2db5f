package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.State;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockersTest {

  private final KeyPaths paths = new KeyPaths("holdfast/");
  private final List<StoredKey> stored = new ArrayList<>();

  @Test
  void the_queue_is_in_the_order_of_create_indexes_whatever_the_order_of_keys() {
    Claim second = add(claim("a", Kind.MUTEX, 1, 1), 20);
    Claim first = add(claim("b", Kind.MUTEX, 1, 1), 10);
    StoredQueue queue = ClaimFormat.queue(stored);

    assertThat(queue.indexOf(first)).isZero();
    assertThat(queue.indexOf(second)).isEqualTo(1);
    assertThat(queue.admitted()).isEqualTo(1);
  }

  @Test
  void a_claim_of_another_kind_is_not_granted_nor_any_claim_behind_it() {
    add(claim("a", Kind.SEMAPHORE, 1, 5), 1);
    add(claim("b", Kind.MUTEX, 1, 1), 2);
    add(claim("c", Kind.SEMAPHORE, 1, 5), 3);
    StoredQueue queue = ClaimFormat.queue(stored);

    assertThat(queue.admitted()).isEqualTo(1);
    assertThat(queue.blockers(queue.claims().get(2)))
        .extracting(ClaimRecord::kind)
        .as("the other kind alone blocks it")
        .containsExactly(Kind.MUTEX);
  }

  @Test
  void claims_of_another_kind_and_tries_that_do_not_fit_cannot_stay() {
    add(claim("a", Kind.SEMAPHORE, 3, 5), 1);
    add(claim("b", Kind.MUTEX, 1, 1), 2);
    addTry(claim("c", Kind.SEMAPHORE, 3, 5), 3);
    addTry(claim("d", Kind.SEMAPHORE, 1, 5), 4);
    add(claim("e", Kind.SEMAPHORE, 5, 5), 5);
    addTry(claim("f", Kind.SEMAPHORE, 1, 5), 6);
    add(claim("g", Kind.SEMAPHORE, 1, 5), 7);
    StoredQueue queue = ClaimFormat.queue(stored);

    assertThat(queue.removable(6))
        .extracting(claim -> claim.stored().key())
        .as("d fits once the others have gone")
        .containsExactly("holdfast/lock@b", "holdfast/lock@c", "holdfast/lock@f");
    assertThat(queue.without(queue.removable(6)).admitted()).isEqualTo(2);
  }

  @Test
  void no_more_blockers_are_named_than_block_a_claim() {
    add(claim("a", Kind.SEMAPHORE, 2, 5), 1);
    add(claim("b", Kind.SEMAPHORE, 2, 5), 2);
    add(claim("c", Kind.SEMAPHORE, 1, 5), 3);
    add(claim("d", Kind.SEMAPHORE, 3, 5), 4);
    StoredQueue queue = ClaimFormat.queue(stored);

    assertThat(queue.blockers(queue.claims().get(3))).hasSize(2);
  }

  @Test
  void a_record_of_a_newer_version_is_refused() {
    stored.add(new StoredKey("holdfast/lock@a", "3 SOMETHING new", "s", 1, 1));

    assertThatThrownBy(() -> ClaimFormat.queue(stored))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("key holdfast/lock@…")
        .hasMessageContaining("another format than 2");
  }

  private Claim add(Claim claim, long index) {
    return add(claim, true, index);
  }

  private void addTry(Claim claim, long index) {
    add(claim, false, index);
  }

  private Claim add(Claim claim, boolean waits, long index) {
    String record =
        ClaimFormat.FORMAT.text(
            ClaimRecord.joining(claim, waits ? State.WAITING : State.TRYING, claim.ttl(), 0));
    stored.add(new StoredKey(paths.claim(claim), record, "session", index, index));
    return claim;
  }

  private static Claim claim(String id, Kind kind, int weight, int capacity) {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    return new Claim(id, "lock", kind, weight, capacity, owner, Duration.ofSeconds(10), null, 0, 0);
  }
}
