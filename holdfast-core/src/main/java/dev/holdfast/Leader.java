package dev.holdfast;

/**
 * The leader, as the store sees it at one moment.
 *
 * @param token the fencing token of its leadership
 * @param value what it has published; empty if nothing. Escape it before you show it
 * @param owner the leader's client and thread
 */
public record Leader(long token, String value, Owner owner) {

  /** With the value escaped. */
  @Override
  public String toString() {
    String published = PrintableText.quote(value);
    return "Leader[token " + token + ", value " + published + ", " + owner.describe() + "]";
  }
}
