package dev.holdfast.engine;

import dev.holdfast.Kind;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import org.jspecify.annotations.Nullable;

/**
 * Stands for whoever resumes a detached lease: its claim is at the store already, so there is
 * nothing to wait for and nobody to tell.
 */
final class Attachment extends Request {

  Attachment(String name, LockSpec spec) {
    super(name, spec, NO_WAIT);
  }

  /** The claim that the handle stands for. */
  static Claim claim(LeaseHandle handle, long floor) {
    return new Claim(
        handle.claimId(),
        handle.lockName(),
        Kind.MUTEX,
        1,
        1,
        handle.owner(),
        handle.ttl(),
        null,
        0,
        floor);
  }

  /**
   * What the lease goes on with.
   *
   * @throws LeaseLostException if the store no longer has the claim
   * @throws dev.holdfast.StoreException if the store did not answer for it
   */
  static Granted resumed(LeaseHandle handle, @Nullable Standing standing, Engine engine) {
    if (standing instanceof Granted grant) {
      // The handle's token, not the claim's first one: it may have been passed on before.
      return new Granted(Math.max(grant.token(), handle.token()));
    }
    if (standing == null || standing instanceof Unknown) {
      Throwable cause = standing instanceof Unknown unknown ? unknown.cause() : null;
      throw engine.noAnswer("the renewal of", handle.lockName(), cause);
    }
    throw new LeaseLostException(handle.lockName(), handle.token(), "has ended meanwhile");
  }

  @Override
  @Nullable Thread reentrantThread() {
    return null;
  }

  @Override
  boolean comesBack() {
    return false;
  }

  @Override
  void signal() {}

  @Override
  void decideGranted(Hold hold) {}

  @Override
  void decideBusy() {}

  @Override
  void decideFailed(RuntimeException cause) {}
}
