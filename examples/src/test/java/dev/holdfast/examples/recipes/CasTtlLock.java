package dev.holdfast.examples.recipes;

import java.io.IOException;

/** The same with a ttl, so that a crash does not keep it taken for ever. */
class CasTtlLock extends CasLock {

  final int ttl;

  CasTtlLock(EtcdHttp etcd, String name, int ttl) {
    super(etcd, name);
    this.ttl = ttl;
  }

  // sample: cas-ttl
  @Override
  boolean tryLock() throws IOException, InterruptedException {
    return etcd.isPut(name, "value=1&prevValue=0&ttl=" + ttl)
        || etcd.isPut(name, "value=1&prevExist=false&ttl=" + ttl);
  }
  // end
}
