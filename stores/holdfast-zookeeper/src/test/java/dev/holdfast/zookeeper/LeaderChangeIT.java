package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperEnsemble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Clients contend for one lock while the leader is killed: what linearizable is worth. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class LeaderChangeIT {

  private static final int CLIENTS = 3;
  private static final int ENOUGH = 100;
  private static final LockOptions OPTIONS =
      LockOptions.defaults()
          .ttl(Duration.ofSeconds(30))
          .handOff(false)
          .require(Consistency.LINEARIZABLE);

  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger overlaps = new AtomicInteger();
  private final AtomicInteger fallen = new AtomicInteger();
  private final AtomicLong lastToken = new AtomicLong();
  private final AtomicInteger grants = new AtomicInteger();

  @Test
  void holders_never_overlap_and_tokens_rise_while_the_leader_changes() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start()) {
      String url = ensemble.url() + "?session-timeout=60s";
      List<CompletableFuture<Void>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(CompletableFuture.runAsync(() -> contend(url), threads));
      }
      ZooKeeperScene.eventually().until(() -> grants.get() > ENOUGH);

      ensemble.leader().kill();

      CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).join();
    } finally {
      threads.shutdownNow();
    }
    assertThat(grants).hasValueGreaterThan(2 * ENOUGH);
    assertThat(overlaps).hasValue(0);
    assertThat(fallen).as("tokens that were not greater than the last one").hasValue(0);
  }

  private void contend(String url) {
    try (Holdfast locks = Holdfast.connect(url)) {
      while (grants.get() <= 2 * ENOUGH) {
        try (Lease lease = locks.lock("contended", OPTIONS).acquire()) {
          hold(lease);
        } catch (StoreException e) {
          Thread.onSpinWait(); // unknown: there is no leader at the moment
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hold(Lease lease) {
    boolean alone = inside.incrementAndGet() == 1;
    boolean rose = lastToken.getAndSet(lease.token()) < lease.token();
    inside.decrementAndGet();
    if (lease.isValid()) { // one that was lost in the middle need not have been alone
      grants.incrementAndGet();
      overlaps.addAndGet(alone ? 0 : 1);
      fallen.addAndGet(rose ? 0 : 1);
    }
  }
}
