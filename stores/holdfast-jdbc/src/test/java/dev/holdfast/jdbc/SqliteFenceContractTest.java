package dev.holdfast.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteFenceContractTest extends JdbcFenceContract {

  @TempDir Path directory;

  @Override
  String storeUrl() {
    return "sqlite:" + directory.resolve("accounts.db");
  }

  @Override
  String url() {
    return "jdbc:sqlite:"
        + directory.resolve("accounts.db")
        + "?journal_mode=WAL&busy_timeout=20000";
  }
}
