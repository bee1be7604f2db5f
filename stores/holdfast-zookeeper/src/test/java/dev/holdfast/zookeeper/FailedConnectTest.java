package dev.holdfast.zookeeper;

import dev.holdfast.testkit.FailedConnectContract;
import java.util.List;

class FailedConnectTest extends FailedConnectContract {

  @Override
  protected List<String> urls(String address) {
    return List.of("zookeeper://" + address);
  }
}
