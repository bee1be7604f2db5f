package dev.holdfast.testkit.broken;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** What a store can get wrong about claims that their client may keep. */
enum KeepableFlaw implements Flaw {
  NEVER_NOTIFIES_A_HOLDER(
      () ->
          new Sketch() {
            @Override
            void notifyHolder(SketchEntry keepable) {}
          },
      "a_claim_that_queues_behind_a_keepable_claim_notifies_its_client",
      "a_try_queues_behind_a_lone_keepable_claim"),

  NOTIFIES_THE_HOLDER_OF_EVERY_WAITER(
      () ->
          new Sketch() {
            @Override
            boolean isBehindKeepable(List<SketchEntry> queue, SketchEntry entry) {
              if (queue.indexOf(entry) > 1 && isKeepable(queue.get(0))) {
                notifyHolder(queue.get(0));
              }
              return super.isBehindKeepable(queue, entry);
            }
          },
      "later_waiters_do_not_notify_the_holder"),

  NOTIFIES_ONLY_THE_FIRST_TIME(
      () ->
          new Sketch() {
            private final Set<SketchEntry> notified = new HashSet<>();

            @Override
            void notifyHolder(SketchEntry keepable) {
              if (notified.add(keepable)) {
                super.notifyHolder(keepable);
              }
            }
          },
      "the_next_claim_that_is_the_first_to_wait_notifies_the_holder_again"),

  NOTIFIES_HOLDERS_THAT_ARE_NOT_KEEPABLE(
      () ->
          new Sketch() {
            @Override
            boolean mayTryQueue(List<SketchEntry> queue, SketchEntry entry) {
              notifyHolder(queue.get(0));
              return super.mayTryQueue(queue, entry);
            }

            @Override
            boolean isBehindKeepable(List<SketchEntry> queue, SketchEntry entry) {
              if (queue.indexOf(entry) == 1) {
                notifyHolder(queue.get(0));
              }
              return super.isBehindKeepable(queue, entry);
            }
          },
      "a_holder_that_is_not_keepable_is_left_in_peace"),

  FORGETS_WANTED_ON_REFRESH(
      () ->
          new Sketch() {
            @Override
            boolean isWanted(List<SketchEntry> queue) {
              return false;
            }
          },
      "the_next_refresh_says_what_a_lost_hint_would_have_said",
      "a_refresh_that_ends_keepable_says_whether_the_lock_was_wanted",
      "a_keepable_waiter_learns_at_its_turn_that_others_wait"),

  SAYS_WANTED_FOR_NOTHING(
      () ->
          new Sketch() {
            @Override
            boolean isWanted(List<SketchEntry> queue) {
              return true;
            }
          },
      "the_next_refresh_says_what_a_lost_hint_would_have_said",
      "a_try_that_gives_up_leaves_nothing_behind"),

  STAYS_KEEPABLE_ONCE_IT_IS_WANTED(
      () ->
          new Sketch() {
            @Override
            void heard(SketchEntry wanted) {}
          },
      "a_refresh_that_answers_wanted_ends_keepable_whatever_it_asked",
      "a_keepable_waiter_learns_at_its_turn_that_others_wait"),

  TELLS_A_TRY_BUSY_BEHIND_A_KEEPABLE_CLAIM(
      () ->
          new Sketch() {
            @Override
            boolean mayTryQueue(List<SketchEntry> queue, SketchEntry entry) {
              return false;
            }
          },
      "a_try_queues_behind_a_lone_keepable_claim",
      "readers_and_writers_that_try_queue_behind_a_keepable_writer"),

  LETS_EVERY_TRY_QUEUE_BEHIND_A_KEEPABLE_CLAIM(
      () ->
          new Sketch() {
            @Override
            boolean mayTryQueue(List<SketchEntry> queue, SketchEntry entry) {
              return isKeepable(queue.get(0));
            }
          },
      "a_try_is_busy_where_another_claim_waits_already"),

  STAYS_KEEPABLE_WHILE_IT_LINGERS(
      () ->
          new Sketch() {
            @Override
            boolean isKeepable(SketchEntry entry) {
              return entry.isGranted() && entry.claim.keepable();
            }
          },
      "a_try_is_busy_behind_a_claim_that_lingers"),

  REMEMBERS_KEEPABLE_OF_JOINS_ONLY(
      () ->
          new Sketch() {
            @Override
            Standing refresh(Claim claim) {
              SketchEntry entry = find(begin(claim.lock()), claim);
              return super.refresh(entry == null ? claim : claim.keepable(entry.claim.keepable()));
            }
          },
      "a_claim_that_a_refresh_has_made_keepable_is_notified_too",
      "a_try_is_busy_behind_a_claim_that_is_not_keepable",
      "inspect_and_list_show_that_a_claim_is_keepable"),

  RESERVES_WITHOUT_END(
      () ->
          new Sketch() {
            @Override
            long lastSpare() {
              return Tokens.MAX;
            }
          },
      "spares_end_where_tokens_would_run_away_from_what_they_are_made_of");

  private final Supplier<Sketch> maker;
  private final List<String> promises;

  KeepableFlaw(Supplier<Sketch> maker, String... promises) {
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
