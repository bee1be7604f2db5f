package dev.holdfast;

/** Why a lease ended without being released. */
public enum LossReason {
  /** The store did not confirm it in time. */
  UNCONFIRMED("it was not confirmed in time"),
  /** The store no longer has its claim: an operator broke the lock, or the claim expired. */
  ENDED_BY_STORE("the store has ended it"),
  /** It was held for its maxHold. */
  MAX_HOLD("it was held for its maxHold"),
  /** The store granted the lock to a later claim, so this one must have ended. */
  REPLACED("the store has granted the lock to a later claim"),
  /** Nobody can close it any more, so it was not renewed. */
  ABANDONED("it was never closed, and nobody can close it any more");

  private final String text;

  LossReason(String text) {
    this.text = text;
  }

  /**
   * @return the reason in words, as messages have it
   */
  public String text() {
    return text;
  }
}
