package dev.holdfast.jdbc;

import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Fence columns in databases that need no server. */
class FenceColumnContractTest {

  @Nested
  class H2 extends FenceColumnContract {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=60";

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class Sqlite extends FenceColumnContract {

    @TempDir Path directory;

    @Override
    String url() {
      return "jdbc:sqlite:"
          + directory.resolve("accounts.db")
          + "?journal_mode=WAL&busy_timeout=20000";
    }
  }
}
