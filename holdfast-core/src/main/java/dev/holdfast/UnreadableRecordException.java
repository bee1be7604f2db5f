package dev.holdfast;

/**
 * What the store keeps of a lock is not a record that this version of Holdfast wrote: somebody else
 * wrote there, it was damaged, or a newer version wrote it. Nobody gets the lock, because nobody
 * knows whether it is held. Other locks are not affected.
 */
public final class UnreadableRecordException extends StoreException {

  private static final long serialVersionUID = 1L;

  private final String place;
  private final String reason;

  /**
   * About one record.
   *
   * @param lockName empty where only the place is known
   * @param place the key, row or node, without what is secret of a claim
   * @param reason what is wrong with it, without quoting it: it may hold a claim's id
   */
  public UnreadableRecordException(String lockName, String place, String reason) {
    super(
        lockName,
        ("%s (%s) cannot be read: %s. If a newer version of Holdfast wrote it, use that; otherwise"
                + " remove it: holdfast break --force.")
            .formatted(
                lockName.isEmpty() ? "A record" : "The record of '" + lockName + "'",
                place,
                reason));
    this.place = place;
    this.reason = reason;
  }

  /** The key, row or node. */
  public String place() {
    return place;
  }

  /** The same about this lock, where the name was not known. */
  public UnreadableRecordException of(String name) {
    return lockName().isEmpty() ? new UnreadableRecordException(name, place, reason) : this;
  }
}
