package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that is killed under many clients that hold and wait. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class KilledServerIT {

  private static final int LOCKS = 10;
  private static final int CLIENTS = 50;
  private static final LockOptions OPTIONS =
      LockOptions.defaults().ttl(Duration.ofSeconds(20)).handOff(false);

  private final List<Holdfast> clients = new ArrayList<>();
  private final List<Lease> leases = new ArrayList<>();
  private final List<CompletableFuture<Lease>> waiters = new ArrayList<>();
  private final AtomicInteger losses = new AtomicInteger();

  @AfterEach
  void close() {
    clients.parallelStream().forEach(Holdfast::close);
  }

  @Test
  void what_it_has_written_down_holds_after_a_restart() throws Exception {
    try (RedisServer server = RedisServer.start("appendonly yes", "appendfsync always")) {
      holdAndWait(server.url());

      server.kill();
      server.restart();
      leases.forEach(KilledServerIT::renewed);
      assertThat(losses).hasValue(0);
      leases.forEach(Lease::close);

      everyWaiterHasItsTurn();
    }
  }

  @Test
  void holders_of_forgotten_locks_are_notified_and_tokens_rise() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      holdAndWait(server.url());

      server.kill();
      server.restart();

      patiently().until(() -> losses.get() == LOCKS);
      assertThat(leases).extracting(Lease::state).containsOnly(LeaseState.LOST);
      everyWaiterHasItsTurn();
    }
  }

  private void holdAndWait(String url) throws InterruptedException {
    for (int i = 0; i < CLIENTS; i++) {
      Holdfast client = Holdfast.connect(url);
      clients.add(client);
      String lock = "lock " + i % LOCKS;
      if (i < LOCKS) {
        Lease lease = client.lock(lock, OPTIONS).acquire();
        lease.onLost(losses::incrementAndGet);
        leases.add(lease);
      } else {
        waiters.add(client.lock(lock, OPTIONS).acquireAsync());
      }
    }
    Holdfast first = clients.get(0);
    patiently()
        .until(
            () ->
                first.list("lock ").stream().mapToInt(lock -> lock.waiters().size()).sum()
                    == CLIENTS - LOCKS);
  }

  /** Each with a greater token than the holder before. */
  private void everyWaiterHasItsTurn() {
    for (int i = 0; i < LOCKS; i++) {
      long last = leases.get(i).token();
      List<CompletableFuture<Lease>> line = new ArrayList<>();
      for (int j = i; j < waiters.size(); j += LOCKS) {
        line.add(waiters.get(j));
      }
      while (!line.isEmpty()) {
        patiently().until(() -> line.stream().anyMatch(CompletableFuture::isDone));
        CompletableFuture<Lease> next =
            line.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow();
        line.remove(next);
        Lease lease = next.join();
        assertThat(lease.token()).isGreaterThan(last);
        last = lease.token();
        lease.close();
      }
    }
  }

  private static void renewed(Lease lease) {
    patiently()
        .until(
            () -> {
              try {
                lease.renew();
                return true;
              } catch (StoreException notYet) {
                return false;
              }
            });
  }

  private static ConditionFactory patiently() {
    return Awaitility.await().atMost(Duration.ofSeconds(90));
  }
}
