package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Election;
import dev.holdfast.Leader;
import dev.holdfast.Leadership;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeadershipTest {

  private final Scene scene = Scene.plain();
  private final Election election = scene.locks.election("e", OPTIONS);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_renewal_that_was_under_way_does_not_bring_the_old_value_back() throws Exception {
    Leadership leading = election.campaign("old");
    scene.faults.set(Verb.REFRESH, Manner.DOES_IT_LATE);
    scene.advance(OPTIONS.renewEvery());
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS);
    leading.publish("new");
    scene.faults.answer();
    assertThat(election.leader().map(Leader::value)).hasValue("new");
  }

  @Test
  void a_leadership_cannot_outlast_its_leader_by_a_min_hold() {
    assertThatThrownBy(() -> scene.locks.election("e", OPTIONS.minHold(Duration.ofSeconds(5))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minHold");
  }
}
