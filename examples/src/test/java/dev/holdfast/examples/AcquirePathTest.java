package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The way of an uncontended acquire through the engine, from the caller to the store and back. */
class AcquirePathTest {

  private static final int MOST_CALLS = 70;
  private static final int MOST_FILES = 12;

  @Test
  void an_uncontended_acquire_can_be_followed() throws Exception {
    AcquirePath path = AcquirePath.follow("memory:", List.of("dev.holdfast.engine.*"));
    assertThat(path.calls()).contains("dev.holdfast.engine.state.Transitions.joinAnswered");
    assertThat(path.calls()).as("calls").hasSizeLessThanOrEqualTo(MOST_CALLS);
    assertThat(path.files()).as("files").hasSizeLessThanOrEqualTo(MOST_FILES);
  }
}
