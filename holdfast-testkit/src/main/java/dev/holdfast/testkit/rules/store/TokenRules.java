package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every grant has a token greater than those of all earlier grants of the same lock. */
public abstract class TokenRules extends Rules {

  /** Pitfall 15. */
  @Test
  void tokens_rise_over_release() {
    long last = 0;
    for (int i = 0; i < 20; i++) {
      Claim claim = scene().mutex(lock);
      Client client = i % 2 == 0 ? a : b;
      long token = client.granted(claim).token();
      assertThat(token).isGreaterThan(last);
      last = token;
      client.left(claim);
    }
  }

  @Test
  void tokens_rise_over_expiry() {
    long token = a.granted(scene().briefMutex(lock)).token();
    Claim next = scene().mutex(lock);

    scene().eventually("the dead holder is replaced", () -> granted(b, next));

    assertThat(b.holds(next).token()).isGreaterThan(token);
  }

  @Test
  void tokens_rise_over_eviction() {
    long token = a.granted(scene().mutex(lock)).token();

    assertThat(b.evict(lock)).isTrue();

    assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(token);
  }

  /** Pitfall 15: an idle record may be forgotten, the token must not go back. */
  @Test
  void tokens_rise_over_a_purge() {
    Claim first = scene().mutex(lock).asking(50, 0);
    Granted granted = a.granted(first);
    a.left(first);

    scene().fixture().purge();

    Claim second = scene().mutex(lock);
    long token = b.granted(second).token();
    assertThat(token).isGreaterThan(granted.spares().last());
    b.left(second);
    scene().fixture().purge();
    assertThat(a.granted(scene().mutex(lock)).token()).isGreaterThan(token);
  }

  @Test
  void tokens_rise_when_an_expired_lock_is_purged() {
    long token = a.granted(scene().briefMutex(lock)).token();
    scene().eventually("the holder expires", () -> !b.inspect(lock).isHeld());

    scene().fixture().purge();

    assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(token);
  }

  @Test
  void a_promoted_waiter_has_a_greater_token_than_everyone_before_it() throws Exception {
    whereFair(
        () -> {
          Claim holder = scene().mutex(lock);
          Claim waiter = scene().mutex(lock);
          Claim third = scene().mutex(lock);
          long first = a.granted(holder).token();
          b.queued(waiter);
          b.queued(third);

          a.left(holder);
          long second = b.holds(waiter).token();
          b.left(waiter);

          assertThat(second).isGreaterThan(first);
          assertThat(b.holds(third).token()).isGreaterThan(second);
        });
  }

  @Test
  void holders_at_the_same_time_have_different_tokens() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          Set<Long> tokens = new HashSet<>();
          for (int i = 0; i < 10; i++) {
            tokens.add(a.granted(scene().reader(lock)).token());
          }
          assertThat(tokens).hasSize(10);
        });
  }

  @Test
  void reserved_tokens_lie_between_the_claims_own_and_the_next_grant() {
    Claim claim = scene().mutex(lock).asking(5, 0);
    Granted granted = a.granted(claim);
    Tokens spares = granted.spares();

    assertThat(spares.count()).isEqualTo(5);
    assertThat(spares.first()).isGreaterThan(granted.token());
    a.left(claim);

    assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(spares.last());
  }

  @Test
  void a_refresh_reserves_more_tokens_for_the_holder() {
    Claim claim = scene().mutex(lock);
    long token = a.granted(claim).token();

    Granted granted = a.holds(claim.asking(3, 0));

    assertThat(granted.token()).isEqualTo(token);
    assertThat(granted.spares().count()).isEqualTo(3);
    assertThat(granted.spares().first()).isGreaterThan(token);
    assertThat(a.holds(claim).spares().count()).isZero();
    a.left(claim);
    assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(granted.spares().last());
  }

  /** A proof is checked against this. */
  @Test
  void an_inspection_tells_from_where_to_where_the_tokens_of_a_claim_reach() {
    Claim claim = scene().mutex(lock).asking(5, 0);
    Granted granted = a.granted(claim);

    ClaimInfo holder = b.inspect(lock).holders().get(0);

    assertThat(holder.token()).isEqualTo(granted.token());
    assertThat(holder.lastToken()).isGreaterThanOrEqualTo(granted.spares().last());
    long more = a.holds(claim.asking(3, 0)).spares().last();
    long last = b.inspect(lock).holders().get(0).lastToken();
    assertThat(last).isGreaterThanOrEqualTo(more);
    a.left(claim);
    assertThat(b.granted(scene().mutex(lock)).token()).isGreaterThan(last);
  }

  /** A guard would refuse the holder, or accept a token that was never granted. */
  @Test
  void an_inspection_tells_no_more_than_was_reserved() {
    long token = a.granted(scene().mutex(lock)).token();

    ClaimInfo holder = b.inspect(lock).holders().get(0);

    assertThat(holder.lastToken()).isBetween(token, token + Tokens.SPARES_OF_REVISION);
  }

  @Test
  void a_claim_that_waits_has_no_tokens() throws Exception {
    whereFair(
        () -> {
          a.granted(scene().mutex(lock).asking(5, 0));
          b.queued(scene().mutex(lock));

          ClaimInfo waiter = a.inspect(lock).waiters().get(0);

          assertThat(waiter.token()).isZero();
          assertThat(waiter.lastToken()).isZero();
        });
  }

  @Test
  void the_tokens_of_readers_reach_at_least_as_far_as_was_reserved() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          Claim one = scene().reader(lock).asking(4, 0);
          Granted first = a.granted(one);
          Granted second = b.granted(scene().reader(lock).asking(4, 0));
          long more = a.holds(one.asking(2, 0)).spares().last();

          for (ClaimInfo holder : b.inspect(lock).holders()) {
            boolean isFirst = holder.token() == first.token();
            assertThat(holder.lastToken())
                .isGreaterThanOrEqualTo(isFirst ? more : second.spares().last());
          }
        });
  }

  @Test
  void reserved_tokens_of_two_holders_never_overlap() throws Exception {
    whereKept(
        Kind.READ_WRITE,
        () -> {
          Claim one = scene().reader(lock).asking(4, 0);
          Claim two = scene().reader(lock).asking(4, 0);
          Granted first = a.granted(one);
          Granted second = b.granted(two);
          Set<Long> tokens = new HashSet<>();

          tokens.add(first.token());
          tokens.add(second.token());
          addAll(tokens, first.spares());
          addAll(tokens, second.spares());
          addAll(tokens, a.holds(one).spares());
          Tokens late = b.holds(two).spares();
          // May repeat what the same claim was given before, never what another was.
          for (long token = late.first(); token <= late.last(); token++) {
            assertThat(tokens.add(token) || contains(second.spares(), token)).isTrue();
          }

          assertThat(tokens).hasSizeGreaterThanOrEqualTo(10);
        });
  }

  private static void addAll(Set<Long> tokens, Tokens spares) {
    for (long token = spares.first(); token <= spares.last(); token++) {
      tokens.add(token);
    }
  }

  private static boolean contains(Tokens tokens, long token) {
    return token >= tokens.first() && token <= tokens.last();
  }
}
