package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockInfo;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Tokens;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A claim that its client may keep idle: the client learns that the lock is wanted, by a hint and
 * with each refresh.
 */
public abstract class KeepableRules extends WantedRules {

  private static final long HOUR = TimeUnit.HOURS.toMicros(1);

  // ---------------------------------------------------------------- the hint

  @Test
  void a_claim_that_queues_behind_a_keepable_claim_notifies_its_client() throws Exception {
    whereTold(
        () -> {
          AtomicInteger hints = observe(a);
          a.granted(keepable(lock));
          int before = settled(hints);

          b.queued(scene().mutex(lock));

          scene().eventually("the hint arrives at the holder", () -> hints.get() > before);
        });
  }

  @Test
  void a_claim_that_a_refresh_has_made_keepable_is_notified_too() throws Exception {
    whereTold(
        () -> {
          AtomicInteger hints = observe(a);
          Claim holder = scene().mutex(lock);
          a.granted(holder);
          assertThat(a.holds(holder.keepable(true)).wanted()).isFalse();
          int before = settled(hints);

          b.queued(scene().mutex(lock));

          scene().eventually("the hint arrives at the holder", () -> hints.get() > before);
        });
  }

  @Test
  void later_waiters_do_not_notify_the_holder() throws Exception {
    whereTold(
        () -> {
          AtomicInteger hints = observe(a);
          a.granted(keepable(lock));
          b.queued(scene().mutex(lock));
          int before = settled(hints);

          for (int i = 0; i < 5; i++) {
            b.queued(scene().mutex(lock));
          }

          assertThat(settled(hints)).as("hints to the holder").isEqualTo(before);
        });
  }

  @Test
  void a_holder_that_is_not_keepable_is_left_in_peace() throws Exception {
    whereTold(
        () -> {
          AtomicInteger hints = observe(a);
          Claim was = keepable(lock);
          a.granted(was);
          a.holds(was.keepable(false));
          int before = settled(hints);

          b.queued(scene().mutex(lock));

          assertThat(settled(hints)).as("hints to the holder").isEqualTo(before);
        });
  }

  @Test
  void the_next_claim_that_is_the_first_to_wait_notifies_the_holder_again() throws Exception {
    whereTold(
        () -> {
          AtomicInteger hints = observe(a);
          Claim holder = keepable(lock);
          Claim quitter = scene().mutex(lock);
          a.granted(holder);
          b.queued(quitter);
          b.left(quitter);
          assertThat(a.holds(holder).wanted()).isFalse();
          int before = settled(hints);

          b.queued(scene().mutex(lock));

          scene().eventually("the hint arrives at the holder", () -> hints.get() > before);
        });
  }

  // ---------------------------------------------------------------- wanted

  @Test
  void the_next_refresh_says_what_a_lost_hint_would_have_said() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          assertThat(a.granted(holder).wanted()).isFalse();
          assertThat(a.holds(holder).wanted()).as("wanted, with nobody else there").isFalse();

          b.queued(scene().mutex(lock));

          assertThat(a.holds(holder).wanted()).as("wanted, with one that waits").isTrue();
          assertThat(a.holds(holder).wanted()).as("wanted still").isTrue();
        });
  }

  @Test
  void a_refresh_that_answers_wanted_ends_keepable_whatever_it_asked() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          assertThat(b.queued(waiter).behindKeepable()).isTrue();

          assertThat(a.holds(holder).wanted()).isTrue();

          assertThat(b.inspect(lock).holders().get(0).keepable()).isFalse();
          assertThat(b.waits(waiter).behindKeepable()).isFalse();
          b.left(waiter);
          b.busy(scene().mutex(lock));
        });
  }

  @Test
  void a_refresh_that_ends_keepable_says_whether_the_lock_was_wanted() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);

          assertThat(a.holds(holder.keepable(false)).wanted()).isTrue();

          assertThat(b.waits(waiter).behindKeepable()).isFalse();
        });
  }

  @Test
  void a_claim_that_is_made_keepable_behind_the_back_of_a_waiter_is_notified_at_once()
      throws Exception {
    whereTold(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          assertThat(b.queued(waiter).behindKeepable()).isFalse();

          assertThat(a.holds(holder.keepable(true)).wanted()).isTrue();

          assertThat(b.waits(waiter).behindKeepable()).isFalse();
        });
  }

  /** What the repeated join does not say, the next refresh does. */
  @Test
  void a_repeated_join_of_the_holder_hides_nothing() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim waiter = scene().mutex(lock);
          long token = a.granted(holder).token();
          b.queued(waiter);

          Granted repeated = a.granted(holder);

          assertThat(repeated.token()).isEqualTo(token);
          assertThat(repeated.wanted() || a.holds(holder).wanted()).isTrue();
          assertThat(b.waits(waiter).behindKeepable()).isFalse();
        });
  }

  @Test
  void a_keepable_waiter_learns_at_its_turn_that_others_wait() throws Exception {
    whereTold(
        () -> {
          Claim first = scene().mutex(lock);
          Claim second = keepable(lock);
          Claim third = scene().mutex(lock);
          a.granted(first);
          b.queued(second);
          a.queued(third);

          a.left(first);

          assertThat(a.waits(third)).isEqualTo(new Queued(1, true));
          assertThat(b.holds(second).wanted()).isTrue();
          assertThat(a.waits(third)).isEqualTo(new Queued(1, false));
        });
  }

  // ---------------------------------------------------------------- what is said of it

  @Test
  void only_the_first_to_wait_is_behind_a_keepable_claim() throws Exception {
    whereTold(
        () -> {
          a.granted(keepable(lock));
          Claim first = keepable(lock);
          Claim second = scene().mutex(lock);

          assertThat(b.queued(first)).isEqualTo(new Queued(1, true));
          assertThat(b.queued(second)).isEqualTo(new Queued(2, false));
          assertThat(b.waits(second)).isEqualTo(new Queued(2, false));
          b.left(first);
          assertThat(b.waits(second)).isEqualTo(new Queued(1, true));
        });
  }

  @Test
  void inspect_and_list_show_that_a_claim_is_keepable() throws Exception {
    whereTold(
        () -> {
          Claim holder = keepable(lock);
          Claim waiter = keepable(lock);
          a.granted(holder);
          assertThat(isShown(b.inspect(lock))).isTrue();
          whereLists(() -> assertThat(isShown(b.list(lock, 1).get(0))).isTrue());

          assertThat(a.holds(holder.keepable(false)).wanted()).isFalse();
          assertThat(isShown(b.inspect(lock))).isFalse();

          assertThat(a.holds(holder).wanted()).isFalse();
          assertThat(isShown(b.inspect(lock))).isTrue();
          b.queued(waiter);
          assertThat(b.inspect(lock).waiters().get(0).keepable()).isFalse();
        });
  }

  private static boolean isShown(LockInfo info) {
    return info.holders().get(0).keepable();
  }

  // ---------------------------------------------------------------- its end, and its tokens

  @Test
  void a_break_ends_a_kept_claim_by_any_of_its_tokens() throws Exception {
    whereTold(
        () -> {
          for (int i = 0; i < 3; i++) {
            Claim kept = keepable(lock).asking(5, 0);
            Claim waiter = scene().mutex(lock);
            Granted granted = a.granted(kept);
            b.queued(waiter);
            long last = granted.token() + granted.spares().count();
            long named = i == 0 ? granted.token() : i == 1 ? last : LockStore.ANY_TOKEN;

            assertThat(b.evict(lock, named)).isTrue();

            a.gone(kept);
            assertThat(a.leave(kept)).isEqualTo(Left.GONE);
            assertThat(b.holds(waiter).token()).isGreaterThan(last);
            b.left(waiter);
          }
        });
  }

  @Test
  void a_thousand_tokens_can_be_asked_for_again_and_again() throws Exception {
    whereTold(
        () -> {
          Claim kept = keepable(lock).asking(1_000, 0);
          Granted granted = a.granted(kept);
          Set<Long> tokens = new HashSet<>(Set.of(granted.token()));
          long last = add(tokens, granted.spares(), granted.token());
          assertThat(tokens).as("tokens of the join").hasSizeBetween(1_001, 1_024);

          for (int i = 0; i < 3; i++) {
            last = add(tokens, a.holds(kept).spares(), last);
          }
          a.left(kept);

          assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(last);
        });
  }

  private static long add(Set<Long> tokens, Tokens spares, long last) {
    assertThat(spares.count()).isBetween(0, 1_000);
    for (int i = 0; i < spares.count(); i++) {
      assertThat(tokens.add(spares.first() + i)).as("a token is new").isTrue();
      assertThat(spares.first() + i).isGreaterThan(last);
    }
    return Math.max(last, spares.last());
  }

  /** Otherwise a clock that is set back, or a store that forgets, would give them out again. */
  @Test
  void spares_end_where_tokens_would_run_away_from_what_they_are_made_of() throws Exception {
    whereTold(
        () -> {
          if (scene().traits().maxFloor() > 0) {
            Claim claim = keepable(lock).asking(1_000, 0);
            long token = a.granted(claim).token();
            Claim ahead = claim.asking(1_000, token + HOUR);

            assertThat(a.holds(ahead).spares().count()).as("an hour ahead of the clock").isZero();
            a.left(claim);
            Granted next = a.granted(keepable(lock).asking(1_000, 0));
            assertThat(next.token()).isGreaterThan(token + HOUR);
            assertThat(next.spares().count()).as("an hour ahead of the clock").isZero();
          } else {
            Claim claim = keepable(lock).asking(1_000, 0);
            int spares = a.granted(claim).spares().count();
            for (int i = 0; i < 3; i++) {
              spares += a.holds(claim).spares().count();
            }
            assertThat(spares).as("of one revision").isEqualTo(Tokens.SPARES_OF_REVISION);
          }
        });
  }
}
