package dev.holdfast.election;

import dev.holdfast.Leadership;
import dev.holdfast.engine.EngineLease;
import dev.holdfast.spi.Claim;
import java.util.Objects;

/** A lease with a published value. */
class LeaderLease extends EngineLease implements Leadership {

  /** In the place of the lease. */
  LeaderLease(EngineLease lease) {
    super(lease);
  }

  @Override
  public String value() {
    return Objects.requireNonNull(published());
  }

  @Override
  public void publish(String newValue) {
    Claim.checkValue(lockName(), newValue);
    publishing(newValue);
    renew();
  }
}
