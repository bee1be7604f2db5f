package dev.holdfast.engine;

import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stands for whoever resumes a detached lease: its claim is at the store already, so there is
 * nothing to wait for and nobody to tell.
 */
final class Attachment extends Request {

  private final LeaseHandle handle;

  Attachment(LeaseHandle handle, LockSpec spec) {
    super(handle.lockName(), spec, NO_WAIT);
    this.handle = handle;
  }

  /**
   * Goes on with the lease.
   *
   * @throws LeaseLostException if the store no longer has the claim
   * @throws dev.holdfast.StoreException if the store did not answer for it
   */
  Hold resume(Engine engine) {
    Claim claim = claim(engine.floor().seen());
    Moment sent = Moment.exact(engine.ticker());
    Map<Claim, Standing> standings =
        engine.ask("the renewal of", name, it -> it.refresh(List.of(claim)));
    return engine.adopt(this, claim, resumed(standings.get(claim), engine), sent);
  }

  /** The claim that the handle stands for. */
  private Claim claim(long floor) {
    return new Claim(
        handle.claimId(),
        name,
        spec.kind,
        spec.weight,
        spec.capacity,
        handle.owner(),
        handle.ttl(),
        null,
        0,
        floor);
  }

  private Granted resumed(@Nullable Standing standing, Engine engine) {
    if (standing instanceof Granted grant) {
      // The handle's token, not the claim's first one: it may have been passed on before.
      return new Granted(Math.max(grant.token(), handle.token()));
    }
    if (standing == null || standing instanceof Unknown) {
      Throwable cause = standing instanceof Unknown unknown ? unknown.cause() : null;
      throw engine.noAnswer("the renewal of", name, cause);
    }
    throw new LeaseLostException(name, handle.token(), "has ended meanwhile");
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
