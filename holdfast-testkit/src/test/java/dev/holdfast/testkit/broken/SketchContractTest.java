package dev.holdfast.testkit.broken;

import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;

/** The sketch as it is meant passes everything: what fails below fails by its flaw alone. */
class SketchContractTest extends LockStoreContract {
  @Override
  protected StoreFixture fixture() {
    return new SketchFixture(new Sketch());
  }
}
