package dev.holdfast.jdbc;

import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class H2LockStoreContractIT extends LockStoreContract {

  @TempDir static Path directory;

  private static H2Server server;

  @BeforeAll
  static void start() {
    server = new H2Server(directory);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new UrlFixture(server.url(), server::restart);
  }
}
