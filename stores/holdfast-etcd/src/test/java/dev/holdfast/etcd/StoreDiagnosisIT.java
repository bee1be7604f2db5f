package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a diagnosis finds. */
class StoreDiagnosisIT {

  @Test
  @NeedsServer(Server.ETCD)
  void a_healthy_server_is_found_healthy_and_open_to_all() {
    List<Finding> findings = findings(EtcdServer.shared().url());

    assertThat(findings).extracting(Finding::severity).doesNotContain(Severity.DANGER);
    assertThat(findings)
        .extracting(Finding::message)
        .anyMatch(text -> text.startsWith("a read by the majority took"))
        .contains("a lease of 2 s is granted")
        .anyMatch(text -> text.startsWith("requests carry no user"));
  }

  @Test
  @NeedsServer(Server.ETCD)
  void a_member_that_is_not_there_is_named() {
    assertThat(findings(EtcdServer.shared().url() + ",127.0.0.1:1"))
        .filteredOn(finding -> finding.severity() == Severity.WARNING)
        .extracting(Finding::message)
        .anyMatch(text -> text.matches("etcd at 127.0.0.1:1 does not answer .*refused.*"));
  }

  @Test
  @NeedsServer(value = Server.ETCD, ofItsOwn = true)
  void a_server_that_grants_long_leases_only_is_named() {
    try (EtcdServer server =
        EtcdServer.start("--election-timeout=5000", "--heartbeat-interval=500")) {
      assertThat(findings(server.url()))
          .filteredOn(finding -> finding.severity() == Severity.WARNING)
          .extracting(Finding::message)
          .anyMatch(text -> text.startsWith("no lease is shorter than 8 s"));
    }
  }

  private static List<Finding> findings(String url) {
    try (Ticker ticker = Ticker.system("diagnoses-it");
        LockStore store =
            new EtcdProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(20)))) {
      return Ask.of(store.diagnose()).findings();
    }
  }
}
