package dev.holdfast.testkit.broken;

import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

class SketchEngineContractTest extends EngineContract {
  @Override
  protected StoreFixture fixture() {
    return new SketchFixture(new Sketch());
  }
}
