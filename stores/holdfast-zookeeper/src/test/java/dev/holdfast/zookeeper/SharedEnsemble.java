package dev.holdfast.zookeeper;

import dev.holdfast.servers.ZooKeeperEnsemble;

/** Three servers for the tests of this JVM that break nothing; they end with it. */
public final class SharedEnsemble {

  private static final ZooKeeperEnsemble ENSEMBLE = ZooKeeperEnsemble.start();

  private SharedEnsemble() {}

  public static String url() {
    return ENSEMBLE.url();
  }
}
