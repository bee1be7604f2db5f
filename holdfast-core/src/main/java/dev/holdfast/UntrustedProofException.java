package dev.holdfast;

/** A worker that wants signed proofs got one that is not, or that was altered. */
public final class UntrustedProofException extends LockException {

  private static final long serialVersionUID = 1L;

  UntrustedProofException(String lockName, boolean signed) {
    super(
        lockName,
        "The proof of a lease on '"
            + lockName
            + (signed
                ? "' was altered, or signed with a key that is not known here."
                : "' is not signed. Sign it with the key that the receiver knows."));
  }
}
