package dev.holdfast;

/** The bad news a lock can bring. Unchecked; each kind asks for a different reaction. */
public abstract sealed class LockException extends RuntimeException
    permits LeaseLostException, LockTimeoutException, StaleTokenException, StoreException {

  private static final long serialVersionUID = 1L;

  private final String lockName;

  LockException(String lockName, String message) {
    super(message);
    this.lockName = lockName;
  }

  LockException(String lockName, String message, Throwable cause) {
    super(message, cause);
    this.lockName = lockName;
  }

  /** The lock this is about; empty when it is about the store as a whole. */
  public String lockName() {
    return lockName;
  }
}
