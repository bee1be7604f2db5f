package dev.holdfast.engine.callback;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.PrintableText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What messages say of durations, holders and silence. */
public final class Text {

  private Text() {}

  /** What to say when the store did not answer. */
  public static String noAnswer(Object store, String what, String name, @Nullable Throwable cause) {
    String reason = cause == null ? "." : " (" + cause.getMessage() + ").";
    String whose = name.isEmpty() ? "its locks" : "'" + name + "'";
    return String.format(
        "No answer from %s to %s %s: it may or may not have taken effect%s",
        store, what, whose, reason);
  }

  /** What to say when an update of a lock's state failed, which no store should bring about. */
  public static String unexpected(String name) {
    return "Unexpected failure while updating lock " + PrintableText.quote(name);
  }

  public static String of(Duration duration) {
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

  public static String holder(@Nullable LockInfo info) {
    if (info == null) {
      return "the store does not report the holder";
    }
    if (info.holders().isEmpty()) {
      return "it was busy until a moment ago";
    }
    ClaimInfo first = info.holders().get(0);
    String verb = first.keepable() ? "held or kept by " : "held by ";
    return verb + first.owner().describe() + " for " + of(first.age());
  }
}
