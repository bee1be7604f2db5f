package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import dev.holdfast.testkit.store.Logged;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A wrong URL is reported at once; a wrong host among several is skipped. */
@NeedsServer(Server.CONSUL)
class OpeningIT {

  // The store tries until the deadline: the agent may not have started yet.
  private static final Duration BRIEF = Duration.ofSeconds(1);

  private final Ticker ticker = Ticker.system("opening-it");
  private final ConsulServer server = ConsulServer.shared();

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void an_unreachable_agent_is_reported_within_the_time_out() {
    assertThatThrownBy(() -> open("consul://127.0.0.1:1", BRIEF))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("consul://127.0.0.1:1")
        .hasMessageContaining("cannot connect")
        .hasMessageNotContaining("\n");
  }

  @Test
  void an_unknown_host_is_reported() {
    assertThatThrownBy(() -> open("consul://nowhere.invalid"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("unknown host");
  }

  @Test
  void one_wrong_host_among_several_is_skipped_and_named_in_the_log_and_by_the_doctor() {
    String right = server.url().substring("consul://".length());
    try (Logged warnings = Logged.by(HttpTransport.class, Level.WARNING);
        LockStore store = open("consul://127.0.0.1:1," + right)) {
      Ask.granted(store, Ask.mutex(Ask.name()));
      assertThat(warnings.texts())
          .containsExactly(
              "No answer from http://127.0.0.1:1 (cannot connect); continuing with http://"
                  + right);

      List<Finding> findings = Ask.of(store.diagnose()).findings();

      assertThat(findings)
          .anyMatch(
              finding ->
                  finding.severity() == Severity.WARNING
                      && finding.message().contains("http://127.0.0.1:1 does not answer"))
          .anyMatch(
              finding -> finding.severity() == Severity.OK && finding.message().contains("leader"));
    }
  }

  @Test
  void an_unknown_datacenter_is_reported() {
    assertThatThrownBy(() -> open(server.url() + "?datacenter=nowhere", BRIEF))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("No path to datacenter");
  }

  @Test
  void a_datacenter_and_a_prefix_may_be_named() {
    String lock = Ask.name();
    try (LockStore one = open(server.url() + "?datacenter=dc1&prefix=app1/");
        LockStore two = open(server.url())) {
      Ask.granted(one, Ask.mutex(lock));

      Ask.granted(two, Ask.mutex(lock)); // another prefix is another set of locks
    }
  }

  @Test
  void a_ttl_that_sessions_cannot_have_is_refused_with_the_range() {
    try (Holdfast locks = Holdfast.connect(server.url())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> locks.lock("lock", LockOptions.defaults().ttl(Duration.ofSeconds(9))))
          .withMessageContaining("PT10S to PT24H");
    }
  }

  @Test
  void a_ttl_that_the_url_allows_and_the_servers_do_not_is_refused_in_their_words() {
    try (LockStore store = open(server.url() + "?min-ttl=1s")) {
      assertThatThrownBy(() -> Ask.join(store, Ask.mutex(Ask.name(), Duration.ofSeconds(2))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("Invalid Session TTL");
    }
  }

  private LockStore open(String url) {
    return open(url, Duration.ofSeconds(3));
  }

  private LockStore open(String url, Duration timeout) {
    return new ConsulProvider().open(url, new StoreSettings(ticker, timeout));
  }
}
