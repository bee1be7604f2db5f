package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Registration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObserversTest {

  private final Observers observers = new Observers();
  private final List<String> woken = new ArrayList<>();

  @Test
  void each_observer_of_a_lock_is_woken_and_no_other() {
    observers.add("a", () -> woken.add("first"));
    observers.add("a", () -> woken.add("second"));
    observers.add("b", () -> woken.add("other"));

    observers.wake("a");

    assertThat(woken).containsExactly("first", "second");
  }

  @Test
  void everybody_is_woken_when_something_may_have_happened_unseen() {
    observers.add("a", () -> woken.add("a"));
    observers.add("b", () -> woken.add("b"));

    observers.wakeAll();

    assertThat(woken).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void a_claim_that_is_gone_is_left_in_peace_and_nothing_is_kept() {
    Registration first = observers.add("a", () -> woken.add("first"));
    Registration second = observers.add("a", () -> woken.add("second"));

    first.close();
    first.close();
    observers.wake("a");
    second.close();
    observers.wake("a");

    assertThat(woken).containsExactly("second");
    assertThat(observers.has("a")).isFalse();
  }
}
