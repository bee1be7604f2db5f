package dev.holdfast.examples.recipes;

import java.io.IOException;
import java.util.UUID;

/** A key that must not exist, with a secret value. On etcd's v2 keys. */
final class UuidLock {

  private final EtcdHttp etcd;
  private final String name;
  private final int ttl;
  private final String uuid = UUID.randomUUID().toString();

  UuidLock(EtcdHttp etcd, String name, int ttl) {
    this.etcd = etcd;
    this.name = name;
    this.ttl = ttl;
  }

  // sample: uuid
  boolean tryLock() throws IOException, InterruptedException {
    return etcd.isPut(name, "prevExist=false&value=" + uuid + "&ttl=" + ttl);
  }

  boolean renew() throws IOException, InterruptedException {
    return etcd.isPut(name, "prevExist=true&refresh=true&prevValue=" + uuid + "&ttl=" + ttl);
  }

  boolean unlock() throws IOException, InterruptedException {
    return etcd.v2("DELETE", name, "prevValue=" + uuid).statusCode() < 300;
  }
  // end
}
