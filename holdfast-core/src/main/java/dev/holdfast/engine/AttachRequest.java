package dev.holdfast.engine;

import dev.holdfast.spi.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Stands for whoever resumes a detached lease: the claim is there, so there is nothing to wait for.
 */
final class AttachRequest extends Request {

  AttachRequest(String name, LockSpec spec, Ticker ticker) {
    super(name, spec, NO_WAIT, ticker);
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
