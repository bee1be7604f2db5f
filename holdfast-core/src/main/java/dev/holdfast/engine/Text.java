package dev.holdfast.engine;

import java.time.Duration;

/** Durations as people read them. */
final class Text {

  private Text() {}

  static String of(Duration duration) {
    if (duration.compareTo(Duration.ofSeconds(2)) < 0) {
      return duration.toMillis() + " ms";
    }
    if (duration.compareTo(Duration.ofMinutes(2)) < 0) {
      return duration.toSeconds() + " s";
    }
    if (duration.compareTo(Duration.ofHours(2)) < 0) {
      return duration.toMinutes() + " min";
    }
    return duration.toHours() + " h";
  }
}
