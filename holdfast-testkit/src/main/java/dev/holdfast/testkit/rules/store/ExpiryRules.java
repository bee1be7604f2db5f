package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.rules.Answers;
import dev.holdfast.testkit.rules.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A claim that is not refreshed ends with its ttl, by the store's clock: neither early nor never.
 */
public abstract class ExpiryRules extends Rules {

  @Test
  void a_dead_holder_is_replaced_after_its_ttl_and_not_before() {
    Claim dead = scene().briefMutex(lock);
    long sent = scene().nanoTime();
    a.granted(dead);
    Claim next = scene().mutex(lock);

    scene().eventually("the dead holder is replaced", () -> granted(b, next));

    Duration took = Duration.ofNanos(scene().nanoTime() - sent);
    assertThat(took)
        .as("time until the dead holder was replaced")
        .isGreaterThanOrEqualTo(dead.ttl().minus(Rules.CLOCK_TOLERANCE));
    if (scene().drivesClock()) {
      assertThat(took)
          .as("time until the dead holder was replaced")
          .isLessThanOrEqualTo(
              dead.ttl().plus(scene().traits().expiryLag()).plus(Rules.CLOCK_TOLERANCE));
    }
  }

  /** Pitfall 12. */
  @Test
  void a_waiter_is_granted_when_the_holder_dies() throws Exception {
    whereFair(
        () -> {
          Claim dead = scene().briefMutex(lock);
          long token = a.granted(dead).token();
          Claim waiter = scene().mutex(lock);
          b.queue(waiter);

          scene().eventually("the waiter is granted", () -> b.isGranted(waiter));

          assertThat(b.holds(waiter).token()).isGreaterThan(token);
          a.gone(dead);
        });
  }

  @Test
  void a_waiter_lives_no_longer_than_the_ttl_of_waiters_whatever_its_own() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);

          Duration remaining = a.inspect(lock).waiters().get(0).remaining();

          assertThat(remaining)
              .isLessThanOrEqualTo(waiter.waitingTtl().plus(scene().traits().ttlResolution()));
        });
  }

  @Test
  void a_promoted_waiter_that_is_refreshed_has_its_whole_ttl() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          a.granted(holder);
          b.queued(waiter);
          a.left(holder);

          // The machine may be slow to look; some look comes soon enough after its refresh.
          scene()
              .eventually(
                  "the holder has a holder's ttl",
                  () -> {
                    b.holds(waiter);
                    Duration remaining = b.inspect(lock).holders().get(0).remaining();
                    return remaining.compareTo(waiter.waitingTtl().dividedBy(2)) > 0
                        && (waiter.ttl().equals(waiter.waitingTtl())
                            || remaining.compareTo(waiter.waitingTtl()) > 0);
                  });
        });
  }

  /** So a crash does not outlive maxHold by a whole ttl. */
  @Test
  void a_refresh_takes_over_a_shorter_ttl_where_each_claim_has_its_own() {
    Claim holder = scene().mutex(lock);
    long token = a.granted(holder).token();
    Claim shorter = holder.lasting(scene().brief());

    assertThat(a.holds(shorter).token()).isEqualTo(token);

    if (scene().traits().ownTtl()) {
      Duration most = scene().brief().plus(scene().traits().ttlResolution()).plus(CLOCK_TOLERANCE);
      for (ClaimInfo held : b.inspect(lock).holders()) { // none if the machine was slow to look
        assertThat(held.remaining()).isLessThanOrEqualTo(most);
      }
      Claim next = scene().mutex(lock);
      scene().eventually("the shorter ttl ends", () -> granted(b, next));
    } else {
      assertThat(a.holds(holder).token()).isEqualTo(token);
    }
  }

  /** Pitfall 17: what is shorter than the store's resolution is rounded up, not to never. */
  @Test
  void the_shortest_ttl_ends() {
    Claim shortest = scene().claim(lock, Kind.MUTEX, 1, 1, scene().traits().minTtl());
    a.granted(shortest);
    Claim next = scene().mutex(lock);

    scene().eventually("the shortest ttl ends", () -> granted(b, next));
  }

  /** Pitfall 17. */
  @Test
  void the_longest_ttl_is_taken_as_it_is() {
    Duration longest = scene().traits().maxTtl();
    Claim claim = scene().claim(lock, Kind.MUTEX, 1, 1, longest);
    a.granted(claim);

    Duration remaining = b.inspect(lock).holders().get(0).remaining();

    assertThat(remaining).isBetween(longest.minus(Answers.PATIENCE), longest.plusSeconds(1));
    b.busy(scene().mutex(lock));
    a.left(claim);
  }
}
