package dev.holdfast;

/**
 * Base class of all lock failures. Unchecked; each kind asks for a different reaction.
 *
 * <p>Messages are one line of bounded length, fit for a log or a terminal, whatever other clients
 * or a server put into what they quote.
 */
public abstract sealed class LockException extends RuntimeException
    permits LeaseLostException,
        LockTimeoutException,
        StaleTokenException,
        StoreException,
        UntrustedProofException {

  private static final long serialVersionUID = 1L;

  private final String lockName;

  LockException(String lockName, String message) {
    super(PrintableText.message(message));
    this.lockName = lockName;
  }

  LockException(String lockName, String message, Throwable cause) {
    super(PrintableText.message(message), cause);
    this.lockName = lockName;
  }

  /** The lock this is about; empty when it is about the store as a whole. */
  public String lockName() {
    return lockName;
  }
}
