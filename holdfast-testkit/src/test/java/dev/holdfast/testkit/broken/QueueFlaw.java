package dev.holdfast.testkit.broken;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** What a store can get wrong about which claims are granted, and when. */
enum QueueFlaw implements Flaw {
  GRANTS_TWO(
      () ->
          new Sketch() {
            @Override
            boolean fits(long ahead, Claim claim) {
              return ahead <= claim.capacity();
            }
          },
      "a_held_lock_is_busy_for_everybody_else",
      "one_of_many_that_join_at_the_same_time_is_granted",
      "the_store_admits_exactly_whom_the_prefix_sum_rule_admits"),

  LETS_THE_LAST_IN_FIRST(
      () ->
          new Sketch() {
            @Override
            int place(List<SketchEntry> queue) {
              return (int) queue.stream().filter(SketchEntry::isGranted).count();
            }
          },
      "claims_are_granted_in_the_order_of_their_arrival"),

  LETS_SMALL_ONES_SLIP_PAST(
      () ->
          new Sketch() {
            @Override
            void promote(List<SketchEntry> queue) {
              long granted =
                  queue.stream()
                      .filter(SketchEntry::isGranted)
                      .mapToLong(entry -> entry.claim.weight())
                      .sum();
              for (SketchEntry entry : List.copyOf(queue)) {
                if (!entry.isGranted() && fits(granted, entry.claim)) {
                  granted += entry.claim.weight();
                  entry.token = nextToken(entry.claim);
                  lastTokens.put(entry.claim.lock(), entry.token);
                  wake(entry);
                }
              }
            }
          },
      "a_small_claim_does_not_slip_past_a_big_one_that_waits",
      "the_store_admits_exactly_whom_the_prefix_sum_rule_admits"),

  DOES_NOT_PROMOTE_WHEN_A_WAITER_LEAVES(
      () ->
          new Sketch() {
            @Override
            void afterLeave(List<SketchEntry> queue, SketchEntry left) {
              if (left.isGranted()) {
                promote(queue);
              }
            }

            @Override
            Standing refresh(Claim claim) {
              SketchEntry entry = find(begin(claim.lock()), claim);
              if (entry != null && !entry.isGranted()) {
                arm(entry, claim.waitingTtl());
                return new Queued(begin(claim.lock()).indexOf(entry));
              }
              return super.refresh(claim);
            }
          },
      "when_a_big_waiter_gives_up_a_small_one_behind_it_is_granted_at_once",
      "a_big_waiter_that_gives_up_wakes_the_small_one_behind_it"),

  IGNORES_A_MISMATCH(
      () ->
          new Sketch() {
            @Override
            boolean mismatches(Claim first, Claim claim) {
              return false;
            }
          },
      "a_claim_of_another_kind_learns_what_the_lock_is_used_as",
      "a_claim_with_another_capacity_learns_the_capacity"),

  RAISES_WEIGHTS(
      () ->
          new Sketch() {
            @Override
            void takeOver(SketchEntry entry, Claim claim) {
              entry.claim = claim;
            }
          },
      "a_refresh_never_raises_a_weight",
      "a_repeated_join_never_raises_a_weight"),

  IGNORES_A_SHORTER_TTL(
      () ->
          new Sketch() {
            @Override
            Standing refresh(Claim claim) {
              SketchEntry entry = find(begin(claim.lock()), claim);
              boolean shorter = entry != null && claim.ttl().compareTo(entry.claim.ttl()) < 0;
              return super.refresh(shorter ? claim.lasting(entry.claim.ttl()) : claim);
            }
          },
      "a_refresh_takes_over_a_shorter_ttl_where_each_claim_has_its_own"),

  IGNORES_A_LOWERED_WEIGHT(
      () ->
          new Sketch() {
            @Override
            void takeOver(SketchEntry entry, Claim claim) {
              entry.claim = claim.weighing(entry.claim.weight());
            }
          },
      "lowering_a_weight_keeps_the_token_and_grants_the_claims_that_fit_now"),

  WAITERS_NEVER_EXPIRE(
      () ->
          new Sketch() {
            @Override
            boolean isExpired(SketchEntry entry) {
              return entry.isGranted() && super.isExpired(entry);
            }
          },
      "a_dead_waiter_does_not_block_the_queue",
      "an_expired_waiter_is_gone_and_stays_gone"),

  HOLDERS_NEVER_EXPIRE(
      () ->
          new Sketch() {
            @Override
            boolean isExpired(SketchEntry entry) {
              return !entry.isGranted() && super.isExpired(entry);
            }
          },
      "a_dead_holder_is_replaced_after_its_ttl_and_not_before",
      "the_shortest_ttl_ends"),

  EXPIRES_TOO_EARLY(
      () ->
          new Sketch() {
            @Override
            void arm(SketchEntry entry, Duration ttl) {
              super.arm(entry, ttl.multipliedBy(3).dividedBy(4));
            }
          },
      "a_dead_holder_is_replaced_after_its_ttl_and_not_before"),

  WAKES_NOBODY(
      () ->
          new Sketch() {
            @Override
            void wake(SketchEntry granted) {}
          },
      "a_leave_wakes_the_next_in_line",
      "the_death_of_the_holder_wakes_the_next_in_line",
      "an_eviction_wakes_the_next_in_line"),

  WATCHES_ONLY_THE_ONE_BEFORE(
      () ->
          new Sketch() {
            @Override
            void afterLeave(List<SketchEntry> queue, SketchEntry left) {
              boolean isFurtherAhead = queue.stream().anyMatch(entry -> entry.token > left.token);
              List<SketchEntry> before = List.copyOf(woken);
              super.afterLeave(queue, left);
              if (left.isGranted() && isFurtherAhead) {
                woken.retainAll(before);
              }
            }
          },
      "the_leave_of_any_of_several_holders_wakes_the_next_in_line"),

  WAKES_THE_HERD(
      () ->
          new Sketch() {
            @Override
            void wake(SketchEntry granted) {
              woken.addAll(begin(granted.claim.lock()));
            }
          },
      "a_leave_does_not_wake_the_herd",
      "the_end_of_a_linger_wakes_the_next_in_line_and_not_the_herd"),

  WAKES_NOBODY_WHEN_A_LINGER_ENDS(
      () ->
          new Sketch() {
            @Override
            void arm(SketchEntry entry, Duration ttl) {
              if (entry.left) {
                entry.until = ticker.nanoTime() + ttl.toNanos();
              } else {
                super.arm(entry, ttl);
              }
            }
          },
      "the_end_of_a_linger_wakes_the_next_in_line_and_not_the_herd",
      "the_end_of_a_linger_wakes_a_waiter_that_came_after_the_release",
      "the_end_of_a_linger_wakes_the_next_in_line_though_another_was_next_when_it_began",
      "the_end_of_one_linger_among_several_holders_wakes_the_next_in_line"),

  IGNORES_TOMBSTONES(
      () ->
          new Sketch() {
            @Override
            boolean isBuried(Claim claim) {
              return false;
            }
          },
      "a_join_that_arrives_after_its_tombstone_enters_nothing"),

  A_REPEATED_JOIN_ENTERS_AGAIN(
      () ->
          new Sketch() {
            @Override
            JoinAnswer repeatedJoin(List<SketchEntry> queue, SketchEntry entry, Claim claim) {
              SketchEntry second = new SketchEntry(claim, entry.via, ticker.nanoTime());
              arm(second, claim.waitingTtl());
              queue.add(second);
              return second.isGranted()
                  ? new Granted(second.token)
                  : new Queued(queue.indexOf(second));
            }
          },
      "a_repeated_join_of_the_holder_gives_the_same_token_and_no_second_entry",
      "a_repeated_join_of_a_waiter_keeps_its_place"),

  A_REPEATED_JOIN_DOES_NOT_REARM(
      () ->
          new Sketch() {
            @Override
            JoinAnswer repeatedJoin(List<SketchEntry> queue, SketchEntry entry, Claim claim) {
              long until = entry.until;
              JoinAnswer answer = super.repeatedJoin(queue, entry, claim);
              entry.until = until;
              return answer;
            }
          },
      "a_repeated_join_restarts_the_ttl_of_the_holder",
      "a_repeated_join_restarts_the_ttl_of_a_waiter");

  private final Supplier<Sketch> maker;
  private final List<String> promises;

  QueueFlaw(Supplier<Sketch> maker, String... promises) {
    this.maker = maker;
    this.promises = List.of(promises);
  }

  @Override
  public Sketch sketch() {
    return maker.get();
  }

  @Override
  public List<String> promises() {
    return promises;
  }
}
