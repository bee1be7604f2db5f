package dev.holdfast.examples.paused;

/** Every guard, by how a process opens the resource behind it. A new one is one line. */
enum Guard {
  MEMORY_OVER_HTTP(OverHttp::new),
  FILE(InFiles::new),
  SQLITE(InTable::new),
  POSTGRESQL(InTable::new),
  MARIADB(InTable::new),
  COLUMN(InColumn::new),
  REDIS(InRedis::new),
  ZOOKEEPER(InZooKeeper::new),
  ETCD(InEtcd::new);

  private interface Opener {
    Guarded open(String address) throws Exception;
  }

  private final Opener opener;

  Guard(Opener opener) {
    this.opener = opener;
  }

  /** The resource at an address, which means to each guard what it wants. */
  Guarded open(String address) throws Exception {
    return opener.open(address);
  }
}
