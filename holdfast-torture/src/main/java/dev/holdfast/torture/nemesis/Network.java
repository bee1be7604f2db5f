package dev.holdfast.torture.nemesis;

import dev.holdfast.servers.ServerNode;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.torture.store.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One worker's way to the servers: a proxy before each. */
final class Network implements AutoCloseable {

  private final List<TcpProxy> proxies;
  private final String url;

  private Network(List<TcpProxy> proxies, String url) {
    this.proxies = proxies;
    this.url = url;
  }

  static Network to(Site site) {
    List<TcpProxy> proxies = new ArrayList<>();
    String url = site.url();
    for (ServerNode node : site.entries()) {
      TcpProxy proxy = TcpProxy.to("127.0.0.1", node.port());
      proxies.add(proxy);
      url = url.replace("127.0.0.1:" + node.port(), "127.0.0.1:" + proxy.port());
    }
    return new Network(proxies, url);
  }

  /** The store's URL, through these proxies. */
  String url() {
    return url;
  }

  void all(Consumer<TcpProxy> change) {
    proxies.forEach(change);
  }

  @Override
  public void close() {
    proxies.forEach(TcpProxy::close);
  }
}
