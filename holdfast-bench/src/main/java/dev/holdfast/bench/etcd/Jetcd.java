package dev.holdfast.bench.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * jetcd's lock, which is etcd's own lock service. A lease holds the lock, so each thread has its
 * own, kept alive as the documentation says.
 */
final class Jetcd implements Client {

  static final Contender CONTENDER =
      Contender.peer(
          "jetcd Lock",
          Set.of(Feature.OWNER_CHECK, Feature.WAITING, Feature.FAIR, Feature.RENEWAL),
          Jetcd::new);

  private static final long LEASE_SECONDS = 30;

  private final io.etcd.jetcd.Client client;
  private final Lock locks;
  private final ThreadLocal<Long> lease;

  private Jetcd(String url) {
    client = io.etcd.jetcd.Client.builder().endpoints("http://" + EtcdStore.authority(url)).build();
    locks = client.getLockClient();
    lease = ThreadLocal.withInitial(() -> newLease(client.getLeaseClient()));
  }

  @Override
  public Mutex mutex(String name) {
    ByteSequence lock = ByteSequence.from(name, UTF_8);
    return () -> {
      ByteSequence key = locks.lock(lock, lease.get()).get().getKey();
      return () -> locks.unlock(key).get();
    };
  }

  @Override
  public void close() {
    client.close();
  }

  private static long newLease(Lease leases) {
    try {
      long id = leases.grant(LEASE_SECONDS).get().getID();
      leases.keepAlive(id, new Ignored());
      return id;
    } catch (ExecutionException e) {
      throw new IllegalStateException("no lease", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** What comes of a keep-alive is seen when the lock is used. */
  private static final class Ignored implements StreamObserver<LeaseKeepAliveResponse> {

    @Override
    public void onNext(LeaseKeepAliveResponse response) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
