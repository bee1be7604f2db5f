package dev.holdfast;

/**
 * Unknown: the store did not answer, so the operation may or may not have taken effect. Never means
 * busy and never means lost; Holdfast cleans up in the background what may have been left behind.
 */
public non-sealed class StoreException extends LockException {

  private static final long serialVersionUID = 1L;

  /** About one lock, or about the whole store when the name is empty. */
  public StoreException(String lockName, String message) {
    super(lockName, message);
  }

  /** With what the store's client reported. */
  public StoreException(String lockName, String message, Throwable cause) {
    super(lockName, message, cause);
  }
}
