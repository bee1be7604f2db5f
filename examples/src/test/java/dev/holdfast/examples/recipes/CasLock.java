package dev.holdfast.examples.recipes;

import java.io.IOException;

/** "1" is taken and "0" is free; one compare-and-swap takes it. On etcd's v2 keys. */
class CasLock {

  final EtcdHttp etcd;
  final String name;

  CasLock(EtcdHttp etcd, String name) {
    this.etcd = etcd;
    this.name = name;
  }

  // sample: cas
  boolean tryLock() throws IOException, InterruptedException {
    return etcd.isPut(name, "value=1&prevValue=0") || etcd.isPut(name, "value=1&prevExist=false");
  }

  void unlock() throws IOException, InterruptedException {
    etcd.isPut(name, "value=0&prevValue=1");
  }
  // end
}
