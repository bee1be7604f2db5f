package dev.holdfast;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.support.PrintableText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One holder or waiter, as the store sees it. The claim's id is never shown: it could release the
 * lock.
 *
 * @param owner who claims
 * @param mode how it excludes others
 * @param weight how much of the capacity it takes
 * @param token the token it was granted with, 0 while it waits
 * @param age since when it holds, or waits, by the store's clock
 * @param remaining how long it still lives without renewal, by the store's clock
 * @param value what the holder published, if anything, as it was written but for its length: one
 *     that is longer than a value may be ends with an ellipsis. Escape it before you show it
 */
public record ClaimInfo(
    Owner owner,
    Mode mode,
    int weight,
    long token,
    Duration age,
    Duration remaining,
    @Nullable String value) {

  /** Shortens a value that is too long: others wrote it. */
  public ClaimInfo {
    value = value == null ? null : PrintableText.shorten(value, Claim.MAX_VALUE_BYTES);
  }

  /** With the value escaped. */
  @Override
  public String toString() {
    return "ClaimInfo["
        + owner.describe()
        + ", "
        + mode
        + ", weight "
        + weight
        + ", token "
        + token
        + ", age "
        + age
        + ", remaining "
        + remaining
        + (value == null ? "]" : ", value " + PrintableText.quote(value) + "]");
  }
}
