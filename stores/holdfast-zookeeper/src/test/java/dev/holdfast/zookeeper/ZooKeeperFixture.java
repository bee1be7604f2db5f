package dev.holdfast.zookeeper;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.apache.zookeeper.ZooKeeper;

/** Stores on one ZooKeeper, with the real clock. */
public final class ZooKeeperFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("zookeeper-fixture");
  private final String url;

  /** Long enough for a busy machine; not longer, because tests wait for the end of some. */
  public ZooKeeperFixture(String url) {
    this.url = url + "?session-timeout=16s";
  }

  @Override
  public LockStore open() {
    return new ZooKeeperProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public String damage(String lock, String text) {
    String container = NodePaths.container(lock);
    String servers = url.substring("zookeeper://".length()).replaceFirst("\\?.*", "");
    try {
      ZooKeeper client = ZooKeeperScene.operator(servers);
      try {
        String name = client.getChildren(container, false).get(0);
        client.setData(container + "/" + name, text.getBytes(StandardCharsets.UTF_8), -1);
        return "node " + ClaimNode.printable(container, name);
      } finally {
        client.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    ticker.close();
  }
}
