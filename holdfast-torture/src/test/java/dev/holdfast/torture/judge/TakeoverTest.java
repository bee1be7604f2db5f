package dev.holdfast.torture.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeoverTest {

  private final List<Observation> history = new ArrayList<>();

  @Test
  void it_lasts_from_the_kill_to_the_next_grant() {
    says(1, "w1-1/t", What.GRANTED, "a", 1);
    says(5, "w1-1", What.CRASHED, "", 0);
    says(9, "w2-1/t", What.GRANTED, "a", 2);
    assertThat(Takeover.of(history)).containsExactly(new Takeover("a", 4, true));
  }

  @Test
  void one_that_was_given_back_before_is_taken_over_from_nobody() {
    says(1, "w1-1/t", What.GRANTED, "a", 1);
    says(2, "w1-1/t", What.RELEASING, "a", 1);
    says(5, "w1-1", What.CRASHED, "", 0);
    says(9, "w2-1/t", What.GRANTED, "a", 2);
    assertThat(Takeover.of(history)).isEmpty();
  }

  @Test
  void it_is_not_calm_when_a_server_suffers_meanwhile() {
    says(1, "w1-1/t", What.GRANTED, "a", 1);
    says(5, "w1-1", What.CRASHED, "", 0);
    says(6, "*", What.TROUBLE, "", 0);
    says(7, "*", What.CALM, "", 0);
    says(9, "w2-1/t", What.GRANTED, "a", 2);
    assertThat(Takeover.of(history)).containsExactly(new Takeover("a", 4, false));
  }

  @Test
  void it_is_not_calm_when_the_next_holder_stands_still_meanwhile() {
    says(1, "w1-1/t", What.GRANTED, "a", 1);
    says(5, "w1-1", What.CRASHED, "", 0);
    says(6, "w2-1", What.PAUSED, "", 0);
    says(8, "w2-1", What.RESUMED, "", 0);
    says(9, "w2-1/t", What.GRANTED, "a", 2);
    assertThat(Takeover.of(history)).containsExactly(new Takeover("a", 4, false));
  }

  @Test
  void it_is_not_calm_when_one_that_waits_before_the_next_holder_stands_still() {
    says(1, "w1-1/t", What.GRANTED, "a", 1);
    says(2, "w2-1/t", What.ASKED, "a", 2);
    says(3, "w3-1/t", What.ASKED, "a", 3);
    says(5, "w1-1", What.CRASHED, "", 0);
    says(6, "w2-1", What.PAUSED, "", 0);
    says(9, "w3-1/t", What.GRANTED, "a", 3);
    assertThat(Takeover.of(history)).containsExactly(new Takeover("a", 4, false));
  }

  private void says(long at, String who, What what, String lock, long attempt) {
    history.add(
        new Observation(
            at,
            who,
            what,
            Construct.MUTEX,
            lock,
            attempt,
            attempt,
            Observation.UNTIL_TOLD,
            null,
            ""));
  }
}
