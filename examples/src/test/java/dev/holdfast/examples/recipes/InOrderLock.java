package dev.holdfast.examples.recipes;

import java.io.IOException;

/** Keys that etcd numbers in order; the lowest has the lock. On etcd's v2 keys. */
final class InOrderLock {

  private final EtcdHttp etcd;
  private final String folder;
  private long mine;

  InOrderLock(EtcdHttp etcd, String folder) {
    this.etcd = etcd;
    this.folder = folder;
  }

  // sample: in-order
  void enter() throws IOException, InterruptedException {
    mine = EtcdHttp.number(etcd.v2("POST", folder, "value=me").body(), "createdIndex");
  }

  boolean isLocked() throws IOException, InterruptedException {
    String queue = etcd.v2("GET", folder, "recursive=true&sorted=true").body();
    String children = queue.substring(queue.indexOf("\"nodes\""));
    return EtcdHttp.number(children, "createdIndex") == mine;
  }

  void unlock() throws IOException, InterruptedException {
    etcd.v2("DELETE", folder + "/" + "%020d".formatted(mine), "");
  }
  // end
}
