package org.apache.curator.framework.recipes.locks;

import dev.holdfast.LockInfo;
import dev.holdfast.foreign.Clients;
import dev.holdfast.foreign.curator.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * Stands before Curator's own class of this name in the class path, so that Curator's tests of it
 * run over Holdfast.
 */
public class InterProcessSemaphoreV2 {

  private final Clients clients = Clients.current();
  private final String name;
  private final int permits;

  public InterProcessSemaphoreV2(CuratorFramework client, String path, int maxLeases) {
    name = clients.name(path);
    permits = maxLeases;
  }

  public Lease acquire() throws Exception {
    return new Permit(clients.mine().semaphore(name, permits).acquire());
  }

  public @Nullable Lease acquire(long time, TimeUnit unit) throws Exception {
    dev.holdfast.Lease lease =
        clients
            .mine()
            .semaphore(name, permits)
            .tryAcquire(1, Duration.of(time, unit.toChronoUnit()));
    return lease == null ? null : new Permit(lease);
  }

  /** All of them within the time, or none. */
  public @Nullable Collection<Lease> acquire(int qty, long time, TimeUnit unit) throws Exception {
    long until = System.nanoTime() + unit.toNanos(time);
    List<Lease> leases = new ArrayList<>();
    while (leases.size() < qty) {
      Lease lease = acquire(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      if (lease == null) {
        returnAll(leases);
        return null;
      }
      leases.add(lease);
    }
    return leases;
  }

  public void returnLease(Lease lease) {
    close(lease);
  }

  public void returnAll(Collection<Lease> leases) {
    leases.forEach(InterProcessSemaphoreV2::close);
  }

  private static void close(Lease lease) {
    ((Permit) lease).close();
  }

  public Collection<String> getParticipantNodes() {
    LockInfo info = clients.mine().inspect(name);
    return Stream.concat(info.holders().stream(), info.waiters().stream())
        .map(claim -> claim.owner().toString())
        .toList();
  }
}
