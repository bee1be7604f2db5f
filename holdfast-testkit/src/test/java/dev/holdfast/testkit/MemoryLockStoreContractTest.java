package dev.holdfast.testkit;

class MemoryLockStoreContractTest extends LockStoreContract {
  @Override
  protected StoreFixture fixture() {
    return new MemoryFixture();
  }
}
