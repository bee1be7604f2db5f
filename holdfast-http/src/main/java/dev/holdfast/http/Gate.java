package dev.holdfast.http;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LockException;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** What the filters have in common: from the header of a request to a proof or a problem. */
record Gate(RequestGuard guard) {

  /** Far more than a proof has, also with the longest name; what is longer is not worth reading. */
  private static final int LONGEST = 16 * 1024;

  /** How much is read of the body of a request that is refused. */
  private static final int MOST_TO_READ = 10 * 1024 * 1024;

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

  /**
   * Reads what else comes, within bounds: a sender on which the server hangs up would find its
   * connection broken before it has read why.
   */
  static void readOn(InputStream body) throws IOException {
    byte[] scrap = new byte[8 * 1024];
    int left = MOST_TO_READ;
    int read = 0;
    while (left > 0 && read >= 0) {
      read = body.read(scrap);
      left -= read;
    }
  }

  /** Whether an exception of the handler can come from a check of this proof on the way. */
  static boolean refuses(LockException thrown, Proof proof) {
    return (thrown instanceof StaleTokenException
            || thrown instanceof LeaseLostException
            || thrown instanceof StoreException)
        && thrown.lockName().equals(proof.lock());
  }
}
