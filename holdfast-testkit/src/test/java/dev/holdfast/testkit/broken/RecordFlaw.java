package dev.holdfast.testkit.broken;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** What a store can get wrong about what it records: tokens, names, ids, values. */
enum RecordFlaw implements Flaw {
  REVIVES_ON_REFRESH(
      () ->
          new Sketch() {
            @Override
            Standing ended(List<SketchEntry> queue, Claim claim) {
              if (!queue.isEmpty()) {
                return Gone.GONE;
              }
              SketchEntry entry = new SketchEntry(claim, new SketchStore(this), ticker.nanoTime());
              entry.token = nextToken(claim);
              lastTokens.put(claim.lock(), entry.token);
              arm(entry, claim.ttl());
              queue.add(entry);
              return new Granted(entry.token);
            }
          },
      "an_expired_holder_is_gone_and_stays_gone",
      "a_claim_that_left_is_gone_and_stays_gone"),

  RELEASES_WITHOUT_OWNER_CHECK(
      () ->
          new Sketch() {
            @Override
            SketchEntry toEnd(List<SketchEntry> queue, Claim claim) {
              return queue.isEmpty() ? null : queue.get(0);
            }
          },
      "a_late_leave_leaves_the_next_holder_alone",
      "a_repeated_leave_leaves_the_next_holder_alone",
      "a_guessed_id_is_refused_by_leave"),

  REPEATS_THE_TOKEN_AFTER_RELEASE(
      () ->
          new Sketch() {
            @Override
            long nextToken(Claim claim) {
              return ticker.wallMicros();
            }
          },
      "tokens_rise_over_release"),

  EVICTS_WHOEVER_HOLDS(
      () ->
          new Sketch() {
            @Override
            boolean evict(String lock, long token) {
              return super.evict(lock, LockStore.ANY_TOKEN);
            }
          },
      "an_eviction_by_token_ends_the_holder_that_has_it_and_nobody_else",
      "an_eviction_by_token_ends_one_of_several_holders"),

  EVICTION_KEEPS_THE_TOKEN(
      () ->
          new Sketch() {
            @Override
            boolean evict(String lock, long token) {
              boolean held = super.evict(lock, token);
              lastTokens.computeIfPresent(lock, (name, last) -> last - 1);
              return held;
            }
          },
      "tokens_rise_over_eviction"),

  TOKENS_RESTART_AFTER_A_PURGE(
      () ->
          new Sketch() {
            @Override
            long nextToken(Claim claim) {
              return Tokens.next(
                  claim.lock(), lastTokens.getOrDefault(claim.lock(), 0L), 0, claim.floor());
            }

            @Override
            synchronized void purge() {
              super.purge();
              lastTokens.keySet().retainAll(queues.keySet());
            }
          },
      "tokens_rise_over_a_purge"),

  FORGETS_RESERVED_TOKENS_IN_A_PURGE(
      () ->
          new Sketch() {
            @Override
            synchronized void purge() {
              super.purge();
              lastTokens.keySet().retainAll(queues.keySet());
            }
          },
      "tokens_rise_over_a_purge"),

  IGNORES_THE_FLOOR(
      () ->
          new Sketch() {
            @Override
            long nextToken(Claim claim) {
              return super.nextToken(claim.asking(0, 0));
            }

            @Override
            void note(Claim claim) {}
          },
      "a_token_is_greater_than_the_floor_that_the_client_brings"),

  DOES_NOT_NOTE_THE_FLOOR(
      () ->
          new Sketch() {
            @Override
            void note(Claim claim) {}
          },
      "a_floor_that_a_holder_brings_holds_for_the_claims_of_others",
      "a_floor_outlives_the_waiting_claim_that_brought_it"),

  NOTES_THE_FLOOR_OF_JOINS_ONLY(
      () ->
          new Sketch() {
            @Override
            Standing refresh(Claim claim) {
              return super.refresh(claim.asking(claim.spares(), 0));
            }
          },
      "a_floor_that_a_holder_brings_holds_for_the_claims_of_others",
      "a_floor_that_is_raised_while_a_claim_waits_holds_for_it"),

  REPEATS_TOKENS_THAT_ARE_TOO_GREAT_FOR_IT(
      () ->
          new Sketch() {
            @Override
            long nextToken(Claim claim) {
              return (long) (double) super.nextToken(claim);
            }
          },
      "tokens_above_a_floor_rise_and_never_repeat_across_clients"),

  TELLS_NO_END_OF_A_CLAIMS_TOKENS(
      () ->
          new Sketch() {
            @Override
            long lastTokenTold(String lock) {
              return Tokens.MAX;
            }
          },
      "an_inspection_tells_from_where_to_where_the_tokens_of_a_claim_reach",
      "an_inspection_tells_no_more_than_was_reserved"),

  TELLS_ONLY_THE_FIRST_TOKEN_OF_A_CLAIM(
      () ->
          new Sketch() {
            @Override
            long lastTokenTold(String lock) {
              return queues.get(key(lock)).get(0).token;
            }
          },
      "an_inspection_tells_from_where_to_where_the_tokens_of_a_claim_reach",
      "the_tokens_of_readers_reach_at_least_as_far_as_was_reserved"),

  RESERVES_THE_SAME_TOKENS_TWICE(
      () ->
          new Sketch() {
            @Override
            Tokens reserve(Claim claim) {
              return claim.spares() == 0
                  ? Tokens.NONE
                  : new Tokens(lastTokens.getOrDefault(claim.lock(), 0L) + 1, claim.spares());
            }
          },
      "reserved_tokens_of_two_holders_never_overlap",
      "reserved_tokens_lie_between_the_claims_own_and_the_next_grant"),

  ONE_UNKNOWN_CLAIM_MAKES_THE_BATCH_UNKNOWN(
      () ->
          new Sketch() {
            @Override
            Map<Claim, Standing> refresh(Collection<Claim> claims) {
              Map<Claim, Standing> answers = super.refresh(claims);
              if (claims.size() > 1 && answers.containsValue(Gone.GONE)) {
                answers.replaceAll((claim, standing) -> new Unknown(null));
              }
              return answers;
            }
          },
      "each_claim_of_a_batch_is_answered_for_itself"),

  FORGETS_PART_OF_A_BATCH(
      () ->
          new Sketch() {
            @Override
            Map<Claim, Standing> refresh(Collection<Claim> claims) {
              return new LinkedHashMap<>(super.refresh(claims.stream().limit(100).toList()));
            }
          },
      "a_batch_of_hundreds_is_answered_for_all"),

  FOLDS_THE_CASE_OF_NAMES(
      () ->
          new Sketch() {
            @Override
            String key(String lock) {
              return lock.toLowerCase(Locale.ROOT);
            }
          },
      "odd_names_never_collide"),

  TRIMS_NAMES(
      () ->
          new Sketch() {
            @Override
            String key(String lock) {
              return lock.stripTrailing();
            }
          },
      "odd_names_never_collide"),

  CUTS_LONG_NAMES(
      () ->
          new Sketch() {
            @Override
            String key(String lock) {
              return lock.substring(0, Math.min(255, lock.length()));
            }
          },
      "names_of_the_greatest_length_differ_in_their_last_character"),

  LISTS_BY_PATTERN(
      () ->
          new Sketch() {
            @Override
            boolean listed(String name, String prefix) {
              return name.matches(
                  "(?s)\\Q" + prefix.replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q") + "\\E.*");
            }
          },
      "a_prefix_is_taken_literally"),

  LISTS_ANYWHERE_IN_THE_NAME(
      () ->
          new Sketch() {
            @Override
            boolean listed(String name, String prefix) {
              return name.contains(prefix.substring(0, Math.max(0, prefix.length() - 1)));
            }
          },
      "a_list_has_the_locks_in_use_under_the_prefix_in_the_order_of_their_names"),

  TAKES_THE_BEGINNING_OF_AN_ID_FOR_THE_ID(
      () ->
          new Sketch() {
            @Override
            boolean isSame(String id, String other) {
              return id.startsWith(other);
            }
          },
      "a_guessed_id_is_refused_by_refresh",
      "a_guessed_id_is_refused_by_leave"),

  FOLDS_THE_CASE_OF_IDS(
      () ->
          new Sketch() {
            @Override
            boolean isSame(String id, String other) {
              return id.equalsIgnoreCase(other);
            }
          },
      "a_guessed_id_is_refused_by_refresh",
      "a_guessed_id_is_refused_by_leave"),

  KEEPS_THE_FIRST_VALUE(
      () ->
          new Sketch() {
            @Override
            void takeOver(SketchEntry entry, Claim claim) {
              super.takeOver(entry, claim.publishing(entry.claim.value()));
            }
          },
      "a_refresh_publishes_a_changed_value"),

  SHOWS_IDS(
      () ->
          new Sketch() {
            @Override
            void arm(SketchEntry entry, Duration ttl) {
              super.arm(entry, ttl);
              entry.claim = entry.claim.publishing(entry.claim.id());
            }
          },
      "ids_are_never_shown");

  private final Supplier<Sketch> maker;
  private final List<String> promises;

  RecordFlaw(Supplier<Sketch> maker, String... promises) {
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
