package dev.holdfast.redis;

import dev.holdfast.testkit.FailedConnectContract;
import java.util.List;

class FailedConnectTest extends FailedConnectContract {

  @Override
  protected List<String> urls(String address) {
    return List.of(
        "redis://" + address,
        "redis-sentinel://" + address + "/main",
        "redis-cluster://" + address,
        "redlock://" + address + ",127.0.0.1:2,127.0.0.1:3");
  }
}
