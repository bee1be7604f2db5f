package dev.holdfast.engine;

import dev.holdfast.Leadership;
import dev.holdfast.spi.Claim;

/** A lease with a published value. */
class EngineLeadership extends EngineLease implements Leadership {

  // Mutable state
  private volatile String value;

  /** In place of the lease, which is not to be used any more. */
  EngineLeadership(EngineLease lease, String value) {
    super(lease);
    this.value = value;
  }

  @Override
  public String value() {
    return value;
  }

  @Override
  public void publish(String newValue) {
    Claim.checkValue(lockName(), newValue);
    publishing(newValue);
    value = newValue;
    renew();
  }
}
