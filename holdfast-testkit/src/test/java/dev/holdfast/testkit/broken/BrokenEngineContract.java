package dev.holdfast.testkit.broken;

import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

/**
 * The engine's contract applied to a broken store. Run by {@link EngineContractSelfTest} alone,
 * which says which one: the name ends so that the build does not take it for a test.
 */
class BrokenEngineContract extends EngineContract {

  static Flaw flaw = EngineFlaw.GRANTS_TWO;

  @Override
  protected StoreFixture fixture() {
    return new SketchFixture(flaw.sketch());
  }
}
