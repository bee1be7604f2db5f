package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.testkit.rules.Rules;
import dev.holdfast.testkit.rules.Scene;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** A client that does not know a claim's id can neither renew nor end it. */
public abstract class SecretRules extends Rules {

  /** Pitfall 8. */
  @Test
  void a_guessed_id_is_refused_by_refresh() {
    Claim holder = held();

    for (Claim guess : guesses(holder)) {
      b.gone(guess);
    }
    a.holds(holder);
  }

  /** Pitfalls 7 and 8. */
  @Test
  void a_guessed_id_is_refused_by_leave() {
    Claim holder = held();

    for (Claim guess : guesses(holder)) {
      assertThat(b.leave(guess)).isEqualTo(Left.GONE);
      assertThat(b.leave(Departure.withTombstone(guess))).isEqualTo(Left.GONE);
    }
    a.holds(holder);
    b.busy(scene().mutex(lock));
  }

  @Test
  void a_guessed_id_is_refused_by_join() {
    Claim holder = held();

    for (Claim guess : guesses(holder)) {
      b.busy(guess);
    }
    a.holds(holder);
    assertThat(a.inspect(lock).holders()).hasSize(1);
  }

  @Test
  void the_id_of_a_claim_on_another_lock_is_refused_by_every_verb() {
    Claim holder = held();
    Claim elsewhere = scene().mutex(scene().name());
    b.granted(elsewhere);
    Claim foreign = Scene.onLock(elsewhere, lock);

    b.gone(foreign);
    assertThat(b.leave(foreign)).isEqualTo(Left.GONE);
    b.busy(foreign);

    a.holds(holder);
    b.holds(elsewhere);
  }

  @Test
  void the_id_of_an_earlier_holder_is_refused_by_every_verb() {
    Claim stale = held();
    a.left(stale);
    Claim holder = scene().mutex(lock);
    b.granted(holder);

    a.gone(stale);
    assertThat(a.leave(stale)).isEqualTo(Left.GONE);
    a.busy(stale);

    b.holds(holder);
  }

  @Test
  void two_claims_of_one_owner_are_two_claims() {
    Claim holder = held();
    Claim sameOwner = Scene.withId(holder, scene().mutex(lock).id());

    a.busy(sameOwner);
    assertThat(a.leave(sameOwner)).isEqualTo(Left.GONE);
    a.holds(holder);
  }

  @Test
  void ids_are_never_shown() throws Exception {
    whereFair(
        () -> {
          Claim holder = held();
          Claim waiter = scene().mutex(lock);
          b.queued(waiter);

          String shown = a.inspect(lock) + " " + a.list(lock, 10) + " " + a.store();

          assertThat(shown).doesNotContain(holder.id()).doesNotContain(waiter.id());
        });
  }

  private Claim held() {
    Claim claim = scene().mutex(lock);
    a.granted(claim);
    return claim;
  }

  private List<Claim> guesses(Claim claim) {
    String id = claim.id();
    return List.of(
        Scene.withId(claim, scene().mutex(lock).id()),
        Scene.withId(claim, id.substring(0, id.length() - 1)),
        Scene.withId(claim, id.substring(0, 1)),
        Scene.withId(claim, id + "0"),
        Scene.withId(claim, id + " "),
        Scene.withId(claim, id.toUpperCase(Locale.ROOT) + "G"),
        Scene.withId(claim, flipCase(id)),
        Scene.withId(claim, "%"),
        Scene.withId(claim, "*"),
        Scene.withId(claim, "' OR '1'='1"));
  }

  // Ids are hexadecimal; one without a letter is as good as never drawn.
  private static String flipCase(String id) {
    return id.toUpperCase(Locale.ROOT);
  }
}
