package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimQueueTest {

  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Owner OWNER = new Owner("host", 1, "main", "client", "");

  private final StepClock clock = new StepClock();
  private final ClaimQueue<ClaimRecord> queue = new ClaimQueue<>("lock", clock, ClaimRecord::new);

  private static Claim permits(String id, int weight) {
    return new Claim(id, "lock", Kind.SEMAPHORE, weight, 3, OWNER, TTL, null, 0, 0);
  }

  private static Claim mutex(String id) {
    return new Claim(id, "lock", Kind.MUTEX, 1, 1, OWNER, TTL, null, 0, 0);
  }

  private void pass(Duration time) {
    clock.advance(time);
    queue.settle();
  }

  private long token(String id) {
    ClaimRecord record = queue.find(id);
    return record == null ? -1 : record.token();
  }

  @Test
  void the_first_claim_is_granted_with_a_token_of_the_clock() {
    assertThat(queue.join(mutex("a"), true)).isEqualTo(new Granted(clock.micros(), Tokens.NONE));
  }

  @Test
  void a_claim_that_does_not_fit_waits_or_is_busy() {
    queue.join(mutex("a"), true);

    assertThat(queue.join(mutex("b"), true)).isEqualTo(new Queued(1));
    assertThat(queue.join(mutex("c"), false)).isEqualTo(new Busy(OWNER));
    assertThat(queue.find("c")).isNull();
  }

  @Test
  void a_claim_of_another_kind_or_capacity_is_refused() {
    queue.join(permits("a", 1), true);

    assertThat(queue.join(mutex("b"), true)).isEqualTo(new Mismatch(Kind.SEMAPHORE, 3));
  }

  @Test
  void a_repeated_join_restarts_the_ttl_and_keeps_token_and_place() {
    queue.join(mutex("a"), true);
    queue.join(mutex("b"), true);
    long token = token("a");
    pass(Duration.ofSeconds(9));

    assertThat(queue.join(mutex("a"), true)).isEqualTo(new Granted(token, Tokens.NONE));
    assertThat(queue.join(mutex("b"), true)).isEqualTo(new Queued(1));
    pass(Duration.ofSeconds(9));
    assertThat(queue.claims()).hasSize(2);
  }

  @Test
  void a_waiter_lives_ten_seconds_and_a_holder_its_ttl() {
    queue.join(mutex("a"), true);
    queue.join(mutex("b"), true);

    pass(Duration.ofSeconds(10));
    assertThat(queue.removed()).extracting(ClaimRecord::id).containsExactly("b");
    pass(Duration.ofSeconds(20));
    assertThat(queue.removed()).extracting(ClaimRecord::id).containsExactly("a");
  }

  @Test
  void an_expired_holder_makes_room_for_the_next_claim() {
    queue.join(mutex("a"), true);
    pass(Duration.ofSeconds(25));
    queue.join(mutex("b"), true);
    long token = token("a");
    pass(Duration.ofSeconds(5));

    assertThat(queue.promoted()).extracting(ClaimRecord::id).containsExactly("b");
    assertThat(token("b")).isGreaterThan(token);
    assertThat(queue.refresh(mutex("a"))).isEqualTo(Gone.GONE);
  }

  @Test
  void a_promotion_does_not_start_the_ttl() {
    queue.join(mutex("a"), true);
    queue.join(mutex("b"), true);
    pass(Duration.ofSeconds(9));
    queue.leave(mutex("a"), Duration.ZERO);

    assertThat(queue.promoted()).extracting(ClaimRecord::id).containsExactly("b");
    pass(Duration.ofSeconds(1));
    assertThat(queue.claims()).isEmpty();
  }

  @Test
  void a_clock_that_was_set_back_gives_nobody_more_than_its_ttl() {
    queue.join(mutex("a"), true);
    clock.advance(Duration.ofHours(-1));
    queue.settle();

    pass(TTL.minusNanos(1_000));
    assertThat(queue.claims()).hasSize(1);
    pass(Duration.ofNanos(1_000));
    assertThat(queue.claims()).isEmpty();
  }

  @Test
  void a_lowered_weight_makes_room_and_a_raised_one_is_ignored() {
    queue.join(permits("a", 3), true);
    queue.join(permits("b", 1), true);

    queue.refresh(permits("a", 2));
    assertThat(queue.promoted()).extracting(ClaimRecord::id).containsExactly("b");
    queue.refresh(permits("a", 3));
    assertThat(queue.claims()).extracting(ClaimRecord::weight).containsExactly(2, 1);
  }

  @Test
  void a_lingering_claim_counts_as_left_and_keeps_its_place() {
    queue.join(mutex("a"), true);
    queue.join(mutex("b"), true);

    assertThat(queue.leave(mutex("a"), Duration.ofSeconds(5))).isEqualTo(Left.LEFT);
    assertThat(queue.leave(mutex("a"), Duration.ofSeconds(5))).isEqualTo(Left.GONE);
    assertThat(queue.refresh(mutex("a"))).isEqualTo(Gone.GONE);
    assertThat(queue.join(mutex("a"), true)).isEqualTo(new Busy(null));
    assertThat(token("b")).isZero();

    pass(Duration.ofSeconds(5));
    assertThat(token("b")).isPositive();
  }

  @Test
  void a_tombstone_refuses_a_late_join_until_it_expires() {
    queue.addTombstone(mutex("a"));
    assertThat(queue.join(mutex("a"), true)).isEqualTo(new Busy(null));
    assertThat(queue.claims()).isEmpty();
    assertThat(queue.tombstones())
        .singleElement()
        .satisfies(
            tombstone -> {
              assertThat(tombstone.weight()).isZero();
              assertThat(tombstone.isChanged()).isTrue();
            });

    pass(TTL);
    assertThat(queue.join(mutex("a"), true)).isInstanceOf(Granted.class);
  }

  @Test
  void a_repeated_tombstone_starts_its_time_again() {
    queue.addTombstone(mutex("a"));
    pass(Duration.ofSeconds(20));
    queue.addTombstone(mutex("a"));
    pass(Duration.ofSeconds(20));

    assertThat(queue.tombstones()).hasSize(1);
  }

  @Test
  void an_eviction_ends_the_named_claim_only() {
    queue.join(permits("a", 1), true);
    queue.join(permits("b", 2), true);
    queue.join(permits("c", 2), true);

    assertThat(queue.evict(token("b"))).isTrue();
    assertThat(queue.claims()).extracting(ClaimRecord::id).containsExactly("a", "c");
    assertThat(token("c")).isPositive();
    assertThat(queue.evict(token("c") + 5)).isFalse();
    assertThat(queue.evict(LockStore.ANY_TOKEN)).isTrue();
    assertThat(queue.claims()).isEmpty();
  }

  @Test
  void an_eviction_names_an_exclusive_claim_by_any_of_its_reserved_tokens() {
    Granted granted = (Granted) queue.join(mutex("a").asking(3, 0), true);

    assertThat(queue.evict(granted.spares().last() + 1)).isFalse();
    assertThat(queue.evict(granted.spares().last())).isTrue();
  }

  @Test
  void tokens_exceed_a_floor_for_this_claim_and_all_later_ones() {
    long floor = clock.micros() + 1_000_000;
    queue.join(mutex("a").asking(0, floor), true);
    queue.leave(mutex("a"), Duration.ZERO);
    queue.join(mutex("b"), true);

    assertThat(token("b")).isEqualTo(floor + 2);
  }

  @Test
  void a_queue_that_was_read_goes_on_where_it_was() {
    queue.restore(Kind.SEMAPHORE, 3, Tokens.MAX_FLOOR);
    queue.add(new ReadRecord("a", 2, ClaimRecord.State.LIVE, 7));
    queue.add(new ReadRecord("b", 0, ClaimRecord.State.TOMBSTONE, 0));
    queue.settle();

    assertThat(queue.claims()).extracting(ClaimRecord::isChanged).containsExactly(false);
    assertThat(queue.join(permits("b", 1), true)).isEqualTo(new Busy(null));
    assertThat(queue.join(permits("c", 1), true))
        .isEqualTo(new Granted(Tokens.MAX_FLOOR + 1, Tokens.NONE));
  }

  @Test
  void the_view_for_people_leaves_out_expired_claims() {
    queue.join(mutex("a"), true);
    queue.join(mutex("b"), true);
    clock.advance(Duration.ofSeconds(10));

    LockInfo info = queue.info();
    assertThat(info.waiters()).isEmpty();
    assertThat(info.holders())
        .singleElement()
        .satisfies(
            holder -> {
              assertThat(holder.age()).isEqualTo(Duration.ofSeconds(10));
              assertThat(holder.remaining()).isEqualTo(Duration.ofSeconds(20));
            });
    clock.advance(Duration.ofSeconds(20));
    assertThat(queue.info()).isEqualTo(LockInfo.free("lock"));
  }

  private final class ReadRecord extends ClaimRecord {
    ReadRecord(String id, int weight, State state, long token) {
      super(id, OWNER, weight, null);
      restore(state, token, 0);
      restoreTimes(clock.now(), TTL.toNanos() / 1_000, clock.now() + TTL.toNanos() / 1_000);
    }
  }
}
