package dev.holdfast.testkit;

class RegisterEngineContractTest extends EngineContract {
  @Override
  protected StoreFixture fixture() {
    return new RegisterFixture();
  }
}
