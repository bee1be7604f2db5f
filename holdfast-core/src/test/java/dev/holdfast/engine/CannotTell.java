package dev.holdfast.engine;

import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;

/** A store with a queue that cannot notify a holder that others wait. */
final class CannotTell extends ForwardingStore {

  CannotTell(LockStore inner) {
    super(inner);
  }

  @Override
  public Traits traits() {
    Traits all = super.traits();
    return Traits.builder()
        .fair()
        .pushes()
        .allKinds()
        .lingers()
        .detachable()
        .ttl(all.minTtl(), all.maxTtl())
        .consistency(all.consistency())
        .floors(all.maxFloor())
        .build();
  }
}
