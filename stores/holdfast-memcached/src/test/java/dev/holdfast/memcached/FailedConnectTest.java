package dev.holdfast.memcached;

import dev.holdfast.testkit.FailedConnectContract;
import java.util.List;

class FailedConnectTest extends FailedConnectContract {

  @Override
  protected List<String> urls(String address) {
    return List.of("memcached://" + address, "memcached://" + address + ",127.0.0.1:1");
  }
}
