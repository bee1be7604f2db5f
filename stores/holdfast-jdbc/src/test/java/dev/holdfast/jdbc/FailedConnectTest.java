package dev.holdfast.jdbc;

import dev.holdfast.testkit.FailedConnectContract;
import java.util.List;

class FailedConnectTest extends FailedConnectContract {

  @Override
  protected List<String> urls(String address) {
    return List.of(
        "jdbc:postgresql://" + address + "/test?user=a&password=b",
        "jdbc:mysql://" + address + "/test?user=a&password=b",
        "jdbc:mariadb://" + address + "/test?user=a&password=b",
        "jdbc:h2:tcp://" + address + "/test");
  }
}
