package dev.holdfast.jdbc;

import java.util.UUID;

class H2FenceColumnContractTest extends FenceColumnContract {

  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=60";

  @Override
  String url() {
    return url;
  }
}
