package dev.holdfast.testkit.broken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.Simulation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Random runs on a broken store must find it out, or they would prove nothing on a right one. */
class RandomRunsSelfTest {

  private static final int RUNS = 300;

  @Test
  void two_holders_at_a_time_are_found() {
    assertThat(violations(QueueFlaw.GRANTS_TWO)).anyMatch(text -> text.contains("exclusion"));
  }

  @Test
  void a_release_of_somebody_elses_claim_is_found() {
    assertThat(violations(RecordFlaw.RELEASES_WITHOUT_OWNER_CHECK))
        .anyMatch(text -> text.contains("exclusion"));
  }

  @Test
  void a_store_that_expires_claims_too_early_is_found() {
    assertThat(violations(QueueFlaw.EXPIRES_TOO_EARLY))
        .anyMatch(text -> text.contains("calls itself valid"));
  }

  @Test
  void a_token_that_follows_the_clock_back_is_found() {
    assertThat(violations(RecordFlaw.REPEATS_THE_TOKEN_AFTER_RELEASE))
        .anyMatch(text -> text.contains("token"));
  }

  @Test
  void a_right_store_is_found_right() {
    for (long seed = 1; seed <= 50; seed++) {
      assertThat(violations(new SketchFixture(new Sketch()), seed)).isEmpty();
    }
  }

  @Test
  void so_is_one_that_cannot_queue() {
    for (long seed = 1; seed <= 50; seed++) {
      assertThat(violations(new SketchFixture(new MeagreSketch()), seed)).isEmpty();
    }
  }

  /** Of the first run that has any. */
  private static List<String> violations(Flaw flaw) {
    for (long seed = 1; seed <= RUNS; seed++) {
      List<String> found = violations(new SketchFixture(flaw.sketch()), seed);
      if (!found.isEmpty()) {
        return found;
      }
    }
    return List.of();
  }

  private static List<String> violations(SketchFixture fixture, long seed) {
    return new Simulation(seed, fixture).run().violations();
  }
}
