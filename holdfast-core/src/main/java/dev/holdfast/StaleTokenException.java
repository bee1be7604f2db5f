package dev.holdfast;

/** A fence refused a token: a later holder has been at the resource. Nothing was written. */
public final class StaleTokenException extends LockException {

  private static final long serialVersionUID = 1L;

  private final long token;
  private final long current;

  /** For a token that is older than the one the fence has seen. */
  public StaleTokenException(String lockName, long token, long current) {
    super(
        lockName,
        "Token "
            + token
            + " of '"
            + lockName
            + "' is stale: the resource has seen "
            + current
            + ". Nothing was written; stop, then acquire again. If no lock ever handed out the"
            + " greater token, put the fence back: holdfast fence reset, or its reset method.");
    this.token = token;
    this.current = current;
  }

  /** The refused token. */
  public long token() {
    return token;
  }

  /** The token the fence stands at. */
  public long current() {
    return current;
  }
}
