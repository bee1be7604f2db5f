package dev.holdfast.testkit;

class RegisterLockStoreContractTest extends LockStoreContract {
  @Override
  protected StoreFixture fixture() {
    return new RegisterFixture();
  }
}
