package dev.holdfast;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TraitsTest {

  private static final Traits LEAST = Traits.builder().ttl(ofSeconds(2), ofSeconds(60)).build();

  @Test
  void a_store_promises_nothing_that_it_does_not_switch_on() {
    Traits traits = Traits.builder().build();
    assertThat(traits.fair()).isFalse();
    assertThat(traits.pushes()).isFalse();
    assertThat(traits.lingers()).isFalse();
    assertThat(traits.detachable()).isFalse();
    assertThat(traits.durable()).isFalse();
    assertThat(traits.spansProcesses()).isFalse();
    assertThat(traits.consistency()).isEqualTo(Consistency.BEST_EFFORT);
    assertThat(traits.kinds()).containsExactlyInAnyOrder(Kind.MUTEX, Kind.ELECTION);
    assertThat(traits.expiryLag()).isZero();
    assertThat(traits.lists()).as("nearly every store can list").isTrue();
  }

  @Test
  void what_is_switched_on_is_what_is_reported() {
    Traits traits =
        Traits.builder()
            .fair()
            .pushes()
            .ttl(ofSeconds(1), ofSeconds(9))
            .ttlResolution(Duration.ofMillis(250))
            .expiryLag(ofSeconds(3))
            .tellsHolders()
            .allKinds()
            .lingers()
            .detachable()
            .durable()
            .consistency(Consistency.LINEARIZABLE)
            .spansProcesses()
            .sharedTtl()
            .floors(77)
            .cannotList()
            .build();
    assertThat(traits)
        .isEqualTo(
            new Traits(
                true,
                true,
                true,
                ofSeconds(1),
                ofSeconds(9),
                Duration.ofMillis(250),
                ofSeconds(3),
                Set.of(Kind.values()),
                true,
                true,
                true,
                Consistency.LINEARIZABLE,
                true,
                false,
                77,
                false));
  }

  @Test
  void the_kinds_cannot_be_changed_from_outside() {
    EnumSet<Kind> kinds = EnumSet.of(Kind.MUTEX);
    Traits traits =
        new Traits(
            true,
            true,
            true,
            ofSeconds(1),
            ofSeconds(9),
            ofSeconds(1),
            Duration.ZERO,
            kinds,
            true,
            true,
            true,
            Consistency.LINEARIZABLE,
            true,
            true,
            0,
            true);
    kinds.add(Kind.SEMAPHORE);
    assertThat(traits.kinds()).containsExactly(Kind.MUTEX);
    assertThatThrownBy(() -> traits.kinds().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void a_ttl_out_of_range_is_refused_with_the_range() {
    assertRefused(
        LockOptions.defaults().ttl(ofSeconds(1)),
        "ttl (PT1S) is outside what redis://cache takes: PT2S to PT1M");
    assertRefused(
        LockOptions.defaults().ttl(ofSeconds(61)),
        "ttl (PT1M1S) is outside what redis://cache takes: PT2S to PT1M");
  }

  @Test
  void the_ends_of_the_range_are_taken() {
    for (int seconds : new int[] {2, 60}) {
      LockOptions options = LockOptions.defaults().ttl(ofSeconds(seconds));
      assertThatCode(() -> LEAST.check("redis://cache", options)).doesNotThrowAnyException();
    }
  }

  @Test
  void a_best_effort_store_refuses_the_required_consistency_and_says_why() {
    assertRefused(
        LockOptions.defaults().require(Consistency.LINEARIZABLE),
        "redis://cache is BEST_EFFORT and cannot give the required LINEARIZABLE: after a failure of"
            + " the store two holders are possible. Use a consensus store, or guard the resource"
            + " with a Fence.");
  }

  @Test
  void a_linearizable_store_gives_either_consistency() {
    Traits strong = Traits.builder().consistency(Consistency.LINEARIZABLE).build();
    for (Consistency required : Consistency.values()) {
      LockOptions options = LockOptions.defaults().require(required);
      assertThatCode(() -> strong.check("etcd://e1", options)).doesNotThrowAnyException();
    }
  }

  @Test
  void a_store_that_cannot_linger_refuses_a_minimal_hold() {
    assertRefused(
        LockOptions.defaults().minHold(ofSeconds(5)),
        "redis://cache does not support minHold; it must be zero");
  }

  @Test
  void a_store_that_cannot_list_refuses_to_and_says_what_to_do_instead() {
    assertThatCode(() -> LEAST.checkLists("redis://cache")).doesNotThrowAnyException();
    assertThatThrownBy(() -> Traits.builder().cannotList().build().checkLists("memcached://a"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("memcached://a cannot tell which locks are in use; inspect a lock by its name");
  }

  private static void assertRefused(LockOptions options, String message) {
    assertThatThrownBy(() -> LEAST.check("redis://cache", options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
