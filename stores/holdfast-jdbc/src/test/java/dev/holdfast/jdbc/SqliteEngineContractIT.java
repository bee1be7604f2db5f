package dev.holdfast.jdbc;

import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteEngineContractIT extends EngineContract {

  @TempDir Path directory;

  @Override
  protected StoreFixture fixture() {
    return new SqliteFixture(directory.resolve("locks.db"));
  }
}
