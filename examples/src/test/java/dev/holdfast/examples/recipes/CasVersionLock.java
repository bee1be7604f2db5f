package dev.holdfast.examples.recipes;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;

/** The same with the version of our write, so that no other holder's lock is released. */
final class CasVersionLock extends CasTtlLock {

  private long version;
  private long lockedAt;

  CasVersionLock(EtcdHttp etcd, String name, int ttl) {
    super(etcd, name, ttl);
  }

  // sample: cas-version
  @Override
  boolean tryLock() throws IOException, InterruptedException {
    return swap("value=1&prevValue=0") || swap("value=1&prevExist=false");
  }

  boolean renew() throws IOException, InterruptedException {
    return swap("value=1&prevIndex=" + version);
  }

  /** The double check: a quarter of the ttl is left for clocks that differ. */
  boolean isLocked() {
    return System.nanoTime() - lockedAt < TimeUnit.SECONDS.toNanos(ttl) * 3 / 4;
  }

  @Override
  void unlock() throws IOException, InterruptedException {
    etcd.isPut(name, "value=0&prevIndex=" + version);
  }

  private boolean swap(String condition) throws IOException, InterruptedException {
    long asked = System.nanoTime();
    HttpResponse<String> answer = etcd.v2("PUT", name, condition + "&ttl=" + ttl);
    if (answer.statusCode() >= 300) {
      return false;
    }
    version = EtcdHttp.number(answer.body(), "modifiedIndex");
    lockedAt = asked;
    return true;
  }
  // end
}
