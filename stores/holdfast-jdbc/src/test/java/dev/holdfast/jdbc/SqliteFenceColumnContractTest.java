package dev.holdfast.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteFenceColumnContractTest extends FenceColumnContract {

  @TempDir Path directory;

  @Override
  String url() {
    return "jdbc:sqlite:"
        + directory.resolve("accounts.db")
        + "?journal_mode=WAL&busy_timeout=20000";
  }
}
