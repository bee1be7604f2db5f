package dev.holdfast.jdbc;

import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteLockStoreContractIT extends LockStoreContract {

  @TempDir Path directory;

  @Override
  protected StoreFixture fixture() {
    return new SqliteFixture(directory.resolve("locks.db"));
  }
}
