package dev.holdfast.memcached;

import static dev.holdfast.memcached.MemcachedScene.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several servers, and what each of them is asked. */
@NeedsServer(value = Server.MEMCACHED, ofItsOwn = true)
class MemcachedServersIT {

  private static final Duration SOON = Duration.ofSeconds(5);

  @Test
  void an_uncontended_lock_costs_one_command_to_take_one_to_renew_and_one_to_release()
      throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        MemcachedScene store = new MemcachedScene(server.url())) {
      for (int i = 1; i <= 3; i++) {
        Claim claim = claim("orders");
        store.join(claim);
        store.refresh(claim);
        assertThat(store.leave(claim)).isEqualTo(Left.LEFT);

        assertThat(count(server, "cmd_set")).isEqualTo(2L * i);
        assertThat(count(server, "delete_hits")).isEqualTo(i);
      }
      assertThat(count(server, "cmd_get")).isZero();
      assertThat(count(server, "delete_misses")).isZero();
    }
  }

  @Test
  void locks_are_spread_over_the_servers_and_clients_agree_whatever_the_order() throws Exception {
    List<MemcachedServer> servers = three();
    try (MemcachedScene store = new MemcachedScene(url(servers));
        MemcachedScene other =
            new MemcachedScene(url(List.of(servers.get(2), servers.get(0), servers.get(1))))) {
      for (int i = 0; i < 60; i++) {
        assertThat(store.join(claim("spread/" + i))).isInstanceOf(Granted.class);
        assertThat(other.join(claim("spread/" + i))).isInstanceOf(Busy.class);
      }

      for (MemcachedServer server : servers) {
        assertThat(count(server, "curr_items")).isPositive();
      }
    } finally {
      servers.forEach(MemcachedServer::close);
    }
  }

  @Test
  void the_locks_of_a_server_that_is_down_are_unknown_and_move_nowhere() throws Exception {
    List<MemcachedServer> servers = three();
    try (MemcachedScene store = new MemcachedScene(url(servers), SOON, Credentials.none())) {
      List<Claim> claims =
          Stream.iterate(0, i -> i + 1).limit(60).map(i -> claim("l/" + i)).toList();
      claims.forEach(store::join);
      long kept = count(servers.get(1), "curr_items") + count(servers.get(2), "curr_items");

      servers.get(0).kill();

      long granted = claims.stream().filter(it -> store.refresh(it) instanceof Granted).count();
      long unknown = claims.stream().filter(it -> store.refresh(it) instanceof Unknown).count();
      assertThat(granted).isEqualTo(kept);
      assertThat(unknown).isEqualTo(60 - kept);
      try (MemcachedScene late = new MemcachedScene(url(servers), SOON, Credentials.none())) {
        assertThat(claims.stream().filter(it -> isBusy(late, it)).count()).isEqualTo(kept);
      }
    } finally {
      servers.forEach(MemcachedServer::close);
    }
  }

  @Test
  void no_server_is_one_clear_line() {
    int port;
    try (MemcachedServer server = MemcachedServer.start()) {
      port = server.port();
    }
    assertThatThrownBy(
            () -> new MemcachedScene("memcached://127.0.0.1:" + port, SOON, Credentials.none()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("memcached://127.0.0.1:" + port + " ")
        .hasMessageContaining("refused");
  }

  @Test
  void a_closed_store_answers_unknown() {
    try (MemcachedServer server = MemcachedServer.start()) {
      MemcachedScene store = new MemcachedScene(server.url());
      Claim claim = claim("orders");
      store.join(claim);
      store.close();

      assertThat(store.refresh(claim)).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> store.join(claim("orders")))
          .hasCauseInstanceOf(StoreException.class);
    }
  }

  private static boolean isBusy(MemcachedScene store, Claim claim) {
    try {
      return store.join(claim(claim.lock())) instanceof Busy;
    } catch (RuntimeException unknown) {
      return false;
    }
  }

  private static List<MemcachedServer> three() {
    List<MemcachedServer> servers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      servers.add(MemcachedServer.start());
    }
    return servers;
  }

  private static String url(List<MemcachedServer> servers) {
    return "memcached://"
        + servers.stream().map(it -> "127.0.0.1:" + it.port()).collect(Collectors.joining(","));
  }

  private static long count(MemcachedServer server, String statistic) throws Exception {
    return server
        .command("stats")
        .lines()
        .filter(line -> line.startsWith("STAT " + statistic + " "))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1).strip()))
        .sum();
  }
}
