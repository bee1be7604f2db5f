package dev.holdfast.http;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LockException;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import java.util.List;

/** What the filters have in common: from the header of a request to a proof or a problem. */
record Gate(RequestGuard guard) {

  /** Lets a request in that needs this lock; the headers are all those of the proof's name. */
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
    try {
      return Proof.parse(headers.get(0));
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Problem.malformed(lock, String.valueOf(e.getMessage())));
    }
  }

  /** Whether an exception of the handler means that a check of this proof failed on the way. */
  static boolean refuses(LockException thrown, Proof proof) {
    return (thrown instanceof StaleTokenException || thrown instanceof LeaseLostException)
        && thrown.lockName().equals(proof.lock());
  }
}
