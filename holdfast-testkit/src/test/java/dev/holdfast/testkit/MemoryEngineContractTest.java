package dev.holdfast.testkit;

class MemoryEngineContractTest extends EngineContract {
  @Override
  protected StoreFixture fixture() {
    return new MemoryFixture();
  }
}
