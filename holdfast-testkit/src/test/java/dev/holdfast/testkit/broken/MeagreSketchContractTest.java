package dev.holdfast.testkit.broken;

import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;

/** What a store denies it must refuse: that is a contract, too. */
class MeagreSketchContractTest extends LockStoreContract {
  @Override
  protected StoreFixture fixture() {
    return new SketchFixture(new MeagreSketch());
  }
}
