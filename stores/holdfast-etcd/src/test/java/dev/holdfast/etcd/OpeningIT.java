package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Members;
import dev.holdfast.testkit.store.Ask;
import dev.holdfast.testkit.store.Logged;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
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
  void a_closed_port_is_reported_in_one_line() {
    assertThatThrownBy(() -> open("etcd://127.0.0.1:1"))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching("Cannot use etcd://127.0.0.1:1: .*refused.*");
  }

  @Test
  void a_closed_port_is_reported_even_if_the_next_attempt_comes_too_late() {
    assertThatThrownBy(
            () ->
                new EtcdProvider()
                    .open(
                        "etcd://127.0.0.1:1",
                        new StoreSettings(new Late(ticker), Duration.ofSeconds(1))))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching("Cannot use etcd://127.0.0.1:1: .*refused.*");
  }

  @Test
  void a_host_that_does_not_exist_is_said_in_one_line() {
    assertThatThrownBy(() -> open("etcd://nobody.invalid"))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Cannot use etcd://nobody.invalid: ")
        .hasMessageContaining("nobody.invalid")
        .hasMessageNotContaining("\n");
  }

  @Test
  void one_wrong_host_among_three_does_no_harm_and_is_named_in_the_log() {
    List<String> texts;
    try (Logged warnings = Logged.by(Members.class, Level.WARNING);
        LockStore store =
            open("etcd://127.0.0.1:1," + host + "," + host.replace("127.0.0.1", "localhost"))) {
      for (int i = 0; i < 5; i++) {
        assertThat(Ask.granted(store, Ask.mutex(Ask.name())).token()).isPositive();
      }
      texts = warnings.texts();
    }
    assertThat(texts)
        .singleElement()
        .asString()
        .startsWith("etcd at 127.0.0.1:1 does not answer (")
        .endsWith("; asking " + host);
  }

  @Test
  void a_ttl_that_etcd_cannot_keep_is_refused_with_its_range() {
    try (Holdfast locks = Holdfast.connect("etcd://" + host)) {
      LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(1500));
      assertThatThrownBy(() -> locks.lock(Ask.name(), options).tryAcquire())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("PT1.5S")
          .hasMessageContaining("PT2S");
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

  /** Of a machine that is so busy that what should be done soon is done after two seconds. */
  private record Late(Ticker inner) implements Ticker {

    @Override
    public long nanoTime() {
      return inner.nanoTime();
    }

    @Override
    public long wallMicros() {
      return inner.wallMicros();
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
      boolean soon = delay.compareTo(Duration.ofMillis(500)) < 0;
      return inner.schedule(soon ? Duration.ofSeconds(2) : delay, task);
    }

    @Override
    public void close() {}
  }
}
