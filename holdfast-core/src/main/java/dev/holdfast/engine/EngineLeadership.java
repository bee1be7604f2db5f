package dev.holdfast.engine;

import dev.holdfast.Leadership;
import dev.holdfast.spi.Claim;
import java.util.Objects;

/** A lease with a published value. */
class EngineLeadership extends EngineLease implements Leadership {

  /** In the place of the lease. */
  EngineLeadership(EngineLease lease) {
    super(lease);
  }

  @Override
  public String value() {
    return Objects.requireNonNull(tenure().claim.value());
  }

  @Override
  public void publish(String newValue) {
    Claim.checkValue(lockName(), newValue);
    publishing(newValue);
    renew();
  }
}
