package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Consistency;
import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store says what it can do; what it cannot is refused by name and number. */
public abstract class TraitRules extends Rules {

  @Test
  void traits_are_constant_and_make_sense() {
    Traits traits = a.store().traits();

    assertThat(b.store().traits()).isEqualTo(traits);
    assertThat(traits.minTtl()).isPositive().isLessThanOrEqualTo(traits.maxTtl());
    assertThat(traits.ttlResolution()).isPositive();
    assertThat(traits.expiryLag()).isGreaterThanOrEqualTo(Duration.ZERO);
    assertThat(traits.kinds()).contains(Kind.MUTEX);
  }

  @Test
  void a_store_is_known_by_its_address() {
    assertThat(a.store().toString()).isNotBlank().doesNotContain("@" + hash(a.store()));
  }

  @Test
  void a_ttl_out_of_range_is_refused_with_the_range() {
    Traits traits = scene().traits();

    assertThatCode(() -> check(options(traits.minTtl()))).doesNotThrowAnyException();
    assertThatCode(() -> check(options(traits.maxTtl()))).doesNotThrowAnyException();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> check(options(traits.maxTtl().plusNanos(1))))
        .withMessageContaining(traits.maxTtl().plusNanos(1).toString());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> check(options(traits.minTtl().minusNanos(1))))
        .withMessageContaining(traits.minTtl().toString())
        .withMessageContaining(a.store().toString());
  }

  @Test
  void more_consistency_than_the_store_has_is_refused() {
    LockOptions strict = options(scene().lasting()).require(Consistency.LINEARIZABLE);
    if (scene().traits().consistency() == Consistency.LINEARIZABLE) {
      assertThatCode(() -> check(strict)).doesNotThrowAnyException();
    } else {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> check(strict))
          .withMessageContaining("LINEARIZABLE");
    }
  }

  @Test
  void closing_a_client_twice_does_nothing() {
    Client client = scene().client();
    client.close();

    assertThatCode(client::close).doesNotThrowAnyException();
  }

  private void check(LockOptions options) {
    scene().traits().check(a.store().toString(), options);
  }

  private static LockOptions options(Duration ttl) {
    return LockOptions.defaults().ttl(ttl);
  }

  private static String hash(Object object) {
    return Integer.toHexString(System.identityHashCode(object));
  }
}
