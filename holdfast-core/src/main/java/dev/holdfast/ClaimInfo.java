package dev.holdfast;

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
 * @param lastToken the greatest token that may have been reserved for it; 0 while it waits. Of
 *     readers and permits, which no fence puts in order, it may be that of another of them, but
 *     never that of a later exclusive claim
 * @param age since when it holds, or waits, by the store's clock
 * @param remaining how long it still lives without renewal, by the store's clock
 * @param keepable whether its client may keep it idle after a release: it holds, or is kept
 * @param value what the holder published, if anything, as it was written but for its length: one
 *     that is longer than a value may be ends with an ellipsis. Escape it before you show it
 */
public record ClaimInfo(
    Owner owner,
    Mode mode,
    int weight,
    long token,
    long lastToken,
    Duration age,
    Duration remaining,
    boolean keepable,
    @Nullable String value) {

  /** The longest value, in bytes of UTF-8. */
  public static final int MAX_VALUE_BYTES = 1024;

  /** Shortens a value that is too long: others wrote it. */
  public ClaimInfo {
    value = value == null ? null : PrintableText.shorten(value, MAX_VALUE_BYTES);
  }

  /** A claim that is not keepable. */
  public ClaimInfo(
      Owner owner,
      Mode mode,
      int weight,
      long token,
      long lastToken,
      Duration age,
      Duration remaining,
      @Nullable String value) {
    this(owner, mode, weight, token, lastToken, age, remaining, false, value);
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
        + " to "
        + lastToken
        + ", age "
        + age
        + ", remaining "
        + remaining
        + (keepable ? ", keepable" : "")
        + (value == null ? "]" : ", value " + PrintableText.quote(value) + "]");
  }

  /**
   * The rule by which a proof counts: it names the client of this claim, wants no more than the
   * claim has, and its token is one that was reserved for the claim. An exclusive claim has what a
   * shared one has; a permit is neither.
   *
   * <p>The upper end matters as much as the lower one: a fence believes the greatest token that it
   * is shown, and one beyond what was reserved would shut out later claims.
   */
  public boolean backs(Proof proof) {
    boolean enough =
        mode == proof.mode() || (mode == Mode.EXCLUSIVE && proof.mode() == Mode.SHARED);
    return enough
        && token > 0
        && token <= proof.token()
        && proof.token() <= lastToken
        && owner.client().equals(proof.owner().client());
  }
}
