package dev.holdfast.memcached;

import static dev.holdfast.memcached.MemcachedScene.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** A server that dies, hangs, forgets or runs out of room. */
@NeedsServer(value = Server.MEMCACHED, ofItsOwn = true)
class MemcachedOutageIT {

  private static final LockOptions LONG = LockOptions.defaults().ttl(Duration.ofMinutes(5));
  private static final LockOptions SHORT = LockOptions.defaults().ttl(Duration.ofSeconds(3));

  @Test
  void a_killed_server_is_unknown_and_after_its_restart_the_lock_is_lost_and_tokens_rise()
      throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        Holdfast locks = Holdfast.connect(server.url());
        Holdfast others = Holdfast.connect(server.url())) {
      Lease lease = locks.lock("orders", LONG).acquire();

      server.kill();
      assertThatThrownBy(lease::renew).isInstanceOf(StoreException.class);
      assertThatThrownBy(() -> others.lock("orders", LONG).tryAcquire())
          .as("unknown is not busy")
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("127.0.0.1:" + server.port());
      assertThat(lease.isValid()).as("unknown is not lost").isTrue();

      server.restart();
      patiently().until(() -> renewalTellsLoss(lease));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      try (Lease next = others.lock("orders", LONG).acquire()) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
    }
  }

  /** The start is reported in seconds: two servers of one second must not give the same tokens. */
  @Test
  void tokens_rise_over_restarts_in_quick_succession() throws Exception {
    try (MemcachedServer server = MemcachedServer.start()) {
      long last = 0;
      for (int i = 0; i < 3; i++) {
        try (MemcachedScene store = new MemcachedScene(server.url())) {
          long token = ((Granted) store.join(claim("orders"))).token();
          assertThat(token).isGreaterThan(last);
          last = token;
        }
        server.kill();
        server.restart();
      }
    }
  }

  @Test
  void a_server_that_hangs_is_unknown_and_what_it_kept_is_there_when_it_goes_on() throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        MemcachedScene first = new MemcachedScene(server.url());
        MemcachedScene store = impatient(server);
        MemcachedScene other = impatient(server)) {
      assertThat(first.join(claim("another"))).isInstanceOf(Granted.class);
      Claim claim = claim("orders");
      long token = ((Granted) store.join(claim)).token();

      server.pause();
      assertThat(store.refresh(claim)).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> other.join(claim("orders")))
          .hasCauseInstanceOf(StoreException.class);
      assertThat(other.leave(claim("orders"))).isEqualTo(Left.UNKNOWN);

      server.resume();
      patiently()
          .until(() -> store.refresh(claim) instanceof Granted again && again.token() == token);
      assertThat(store.leave(claim)).isEqualTo(Left.LEFT);
    }
  }

  /** As behind a load balancer that has lost its backend for a while. */
  @Test
  void a_peer_that_resets_connections_is_unknown_and_used_again_by_itself() throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        TcpProxy network = TcpProxy.to("127.0.0.1", server.port());
        MemcachedScene store = new MemcachedScene("memcached://127.0.0.1:" + network.port())) {
      Claim claim = claim("orders");
      long token = ((Granted) store.join(claim)).token();

      network.cut();
      for (int i = 0; i < 1_000; i++) {
        assertThat(store.refresh(claim)).isInstanceOf(Unknown.class);
      }

      network.heal();
      assertThat(((Granted) store.refresh(claim)).token()).isEqualTo(token);
    }
  }

  /** Pitfall 10. */
  @Test
  void a_join_that_hung_with_the_server_is_taken_back_when_it_is_withdrawn() throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        MemcachedScene first = new MemcachedScene(server.url());
        MemcachedScene store = impatient(server)) {
      assertThat(first.join(claim("another"))).isInstanceOf(Granted.class);
      Claim claim = claim("orders");
      server.pause();
      CompletableFuture<?> join =
          store.store().join(claim, false, Deadlines.far()).toCompletableFuture();
      assertThatThrownBy(join::join).hasCauseInstanceOf(StoreException.class);
      server.resume();

      // The server carries the join out when it resumes, before or after the leave.
      patiently()
          .until(
              () -> {
                store
                    .store()
                    .leave(List.of(Departure.withTombstone(claim)), Deadlines.far())
                    .toCompletableFuture()
                    .join();
                return !store.store().inspect("orders").toCompletableFuture().join().isHeld();
              });
    }
  }

  /** Pitfall 22. */
  @Test
  void an_entry_that_was_dropped_for_room_is_reported_as_a_loss_and_tokens_rise() throws Exception {
    try (MemcachedServer server = MemcachedServer.start("-m", "2");
        MemcachedScene filler = new MemcachedScene(server.url());
        Holdfast locks = Holdfast.connect(server.url())) {
      Lease lease = locks.lock("orders", SHORT).acquire();

      patiently()
          .until(
              () -> {
                fill(filler, 20_000);
                return lease.state() == LeaseState.LOST;
              });
      lease.close();

      try (Lease next = locks.lock("orders", SHORT).acquire()) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
      assertThat(locks.diagnose().findings().get(0).message())
          .contains("has evicted")
          .contains("locks can vanish");
    }
  }

  @Test
  void an_evicted_claim_is_gone_for_refresh_and_leave() throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        MemcachedScene store = new MemcachedScene(server.url())) {
      Claim claim = claim("orders");
      long token = ((Granted) store.join(claim)).token();

      assertThat(server.command("md holdfast:orders")).isEqualTo("HD");

      assertThat(store.refresh(claim)).isEqualTo(Gone.GONE);
      assertThat(store.leave(claim)).isEqualTo(Left.GONE);
      assertThat(((Granted) store.join(claim("orders"))).token()).isGreaterThan(token);
    }
  }

  @Test
  void a_server_without_compare_and_swap_is_refused() throws Exception {
    try (MemcachedServer server = MemcachedServer.start("-C");
        MemcachedScene store = new MemcachedScene(server.url())) {
      assertThatThrownBy(() -> store.join(claim("orders")))
          .hasMessageContaining("compare-and-swap is switched off; start the server without -C");
    }
  }

  /** Only for a server that is old enough to be used at once. */
  private static MemcachedScene impatient(MemcachedServer server) {
    return new MemcachedScene(server.url(), Duration.ofSeconds(1), Credentials.none());
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(1));
  }

  private static boolean renewalTellsLoss(Lease lease) {
    try {
      lease.renew();
      return false;
    } catch (StoreException notYet) {
      return false;
    } catch (LeaseLostException lost) {
      return true;
    }
  }

  private static void fill(MemcachedScene store, int entries) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      answers.add(
          store.store().join(claim("filler/" + i), false, Deadlines.far()).toCompletableFuture());
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
  }
}
