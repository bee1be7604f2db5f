package dev.holdfast;

/** Lost: we had the lock and it is over. Stop writing, then acquire again. */
public final class LeaseLostException extends LockException {

  private static final long serialVersionUID = 1L;

  private final long token;

  /** For the lease on this lock with this token. */
  public LeaseLostException(String lockName, long token, String what) {
    super(
        lockName,
        "Lease on '"
            + lockName
            + "' (token "
            + token
            + ") "
            + what
            + ": another holder may be running. Stop writing, then acquire again.");
    this.token = token;
  }

  /** The token of the lost lease. */
  public long token() {
    return token;
  }
}
