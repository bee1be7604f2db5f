package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class StoreDiagnosisIT {

  @Test
  void servers_versions_speed_session_and_permissions_are_looked_at() throws Exception {
    try (ZooKeeperScene scene = new ZooKeeperScene()) {
      // More than the servers allow.
      LockStore store = scene.openAs(SharedEnsemble.url() + "?session-timeout=2m");

      Diagnosis diagnosis = answer(store.diagnose());

      assertThat(diagnosis.time()).isNotNull();
      assertThat(diagnosis.findings())
          .extracting(Finding::message)
          .anyMatch(text -> text.contains(" serves as leader, latency min/avg/max "))
          .anyMatch(text -> text.contains(" serves as follower"))
          .anyMatch(text -> text.contains(" runs ZooKeeper 3."))
          .anyMatch(text -> text.startsWith("a committed write took "));
      assertThat(diagnosis.findings())
          .filteredOn(finding -> finding.severity() == Severity.WARNING)
          .extracting(Finding::message)
          .anyMatch(text -> text.contains("the session lasts PT1M, so a ttl is at most PT45S"))
          .anyMatch(text -> text.contains("open to any client"));
    }
  }
}
