package dev.holdfast.jdbc;

import java.util.UUID;

class H2FenceContractTest extends JdbcFenceContract {

  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=60";

  @Override
  String url() {
    return url;
  }
}
