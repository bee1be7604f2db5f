package dev.holdfast;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store tells about itself when it is asked whether locks are safe in it: its clock, and
 * those of its settings that matter to a lock. For people; programs rely on {@link Traits}.
 *
 * @param time the store's clock when it answered; null where it does not tell
 * @param findings what was looked at, the most important first
 */
public record Diagnosis(@Nullable Instant time, List<Finding> findings) {

  /** Copies the list. */
  public Diagnosis {
    findings = List.copyOf(findings);
  }

  /** Of a store that has nothing to tell. */
  public static Diagnosis empty() {
    return new Diagnosis(null, List.of());
  }
}
