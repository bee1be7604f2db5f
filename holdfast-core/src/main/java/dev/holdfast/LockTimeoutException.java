package dev.holdfast;

/** Busy: somebody else held the lock for the whole time we were willing to wait. */
public final class LockTimeoutException extends LockException {

  private static final long serialVersionUID = 1L;

  /** With a message that names the holder where it is known. */
  public LockTimeoutException(String lockName, String message) {
    super(lockName, message);
  }
}
