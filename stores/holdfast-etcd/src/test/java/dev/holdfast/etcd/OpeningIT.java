package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a store is opened, and how not. */
@NeedsServer(Server.ETCD)
class OpeningIT {

  private final Ticker ticker = Ticker.system("opening-it");
  private final String host = EtcdServer.shared().url().substring("etcd://".length());

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void nobody_who_listens_is_said_in_one_line() {
    assertThatThrownBy(() -> open("etcd://127.0.0.1:1"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("etcd://127.0.0.1:1")
        .hasMessageNotContaining("\n");
  }

  @Test
  void one_wrong_host_among_three_does_no_harm() {
    try (LockStore store = open("etcd://127.0.0.1:1," + host + ",127.0.0.1:2")) {
      assertThat(Ask.granted(store, Ask.mutex(Ask.name())).token()).isPositive();
    }
  }

  @Test
  void applications_with_different_prefixes_do_not_see_each_other() {
    String name = Ask.name();
    try (LockStore one = open("etcd://" + host + "?prefix=one/");
        LockStore two = open("etcd://" + host + "?prefix=two/")) {
      Ask.granted(one, Ask.mutex(name));

      Ask.granted(two, Ask.mutex(name));
    }
  }

  @Test
  void connections_of_the_callers_own_stay_open() {
    ManagedChannel channel =
        Grpc.newChannelBuilder(host, InsecureChannelCredentials.create()).build();
    try {
      try (LockStore store = EtcdLockStore.over(List.of(channel), EtcdOptions.defaults())) {
        Ask.granted(store, Ask.mutex(Ask.name()));
      }
      assertThat(channel.isShutdown()).isFalse();
    } finally {
      channel.shutdownNow();
    }
  }

  private LockStore open(String url) {
    return new EtcdProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(5)));
  }
}
