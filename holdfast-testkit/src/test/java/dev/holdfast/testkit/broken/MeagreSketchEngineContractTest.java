package dev.holdfast.testkit.broken;

import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

/** Clients of a store that cannot queue retry. */
class MeagreSketchEngineContractTest extends EngineContract {
  @Override
  protected StoreFixture fixture() {
    return new SketchFixture(new MeagreSketch());
  }
}
