package dev.holdfast.testkit.broken;

import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.StoreFixture;
import java.util.Optional;

/** Clients of one sketch. */
record SketchFixture(Sketch sketch) implements StoreFixture {

  @Override
  public LockStore open() {
    return new SketchStore(sketch);
  }

  @Override
  public Optional<ManualTicker> ticker() {
    return Optional.of(sketch.ticker);
  }

  @Override
  public void purge() {
    sketch.purge();
  }
}
