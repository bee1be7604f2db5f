package dev.holdfast.http;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LockException;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.UntrustedProofException;
import java.time.Duration;
import java.util.List;

/** What the filters have in common: from the header of a request to a proof or a problem. */
record Gate(RequestGuard guard) {

  /**
   * How much of the body of a refused request is read, after the answer, and for how long: a sender
   * that is hung up on while it still sends may never see the answer.
   */
  static final int MOST_DRAINED = 64 * 1024;

  static final Duration LONGEST_DRAIN = Duration.ofSeconds(1);

  /** Far more than a proof has, also with the longest name; what is longer is not worth reading. */
  static final int LONGEST = 16 * 1024;

  /** Admits a request that needs this lock; the headers are all those of the proof's name. */
  Proof enter(List<String> headers, String lock) throws RefusedException {
    Proof proof = proof(headers, lock);
    if (!proof.lock().equals(lock)) {
      throw new RefusedException(Problem.otherLock(lock, proof.lock()));
    }
    try {
      guard.enter(proof);
    } catch (LockException e) {
      throw new RefusedException(Problem.of(e));
    }
    return proof;
  }

  private static Proof proof(List<String> headers, String lock) throws RefusedException {
    if (headers.isEmpty()) {
      throw new RefusedException(Problem.missing(lock));
    }
    if (headers.size() > 1) {
      throw new RefusedException(
          Problem.malformed(lock, "There are " + headers.size() + " proofs; send one"));
    }
    String text = headers.get(0);
    if (text.length() > LONGEST) {
      throw new RefusedException(
          Problem.malformed(lock, "The proof has " + text.length() + " characters"));
    }
    try {
      return Proof.parse(text);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Problem.malformed(lock, String.valueOf(e.getMessage())));
    }
  }

  /** Returns whether an exception of the handler can come from a check of this proof on the way. */
  static boolean refuses(LockException thrown, Proof proof) {
    return (thrown instanceof StaleTokenException
            || thrown instanceof LeaseLostException
            || thrown instanceof StoreException
            || thrown instanceof UntrustedProofException)
        && thrown.lockName().equals(proof.lock());
  }
}
