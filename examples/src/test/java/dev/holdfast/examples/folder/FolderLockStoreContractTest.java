package dev.holdfast.examples.folder;

import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FolderLockStoreContractTest extends LockStoreContract {

  @TempDir static Path folder;

  @Override
  protected StoreFixture fixture() {
    return new FolderFixture(folder);
  }
}
