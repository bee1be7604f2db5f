package dev.holdfast.testkit.broken;

import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;

/**
 * The contract applied to a broken store. Run by {@link ContractSelfTest} alone, which says which
 * one: the name ends so that the build does not take it for a test.
 */
class BrokenStoreContract extends LockStoreContract {

  static Flaw flaw = QueueFlaw.GRANTS_TWO;

  @Override
  protected StoreFixture fixture() {
    return new SketchFixture(flaw.sketch());
  }
}
