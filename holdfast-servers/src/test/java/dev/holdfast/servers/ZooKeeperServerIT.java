package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class ZooKeeperServerIT {

  @Test
  void a_server_alone_comes_back_after_a_kill() {
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      assertThat(server.mode()).isEqualTo("standalone");
      server.kill();
      assertThatThrownBy(server::mode).isInstanceOf(UncheckedIOException.class);
      server.restart();
      assertThat(server.mode()).isEqualTo("standalone");
    }
  }

  @Test
  void an_ensemble_chooses_another_leader_when_its_own_is_killed() {
    try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start()) {
      ZooKeeperServer old = ensemble.leader();
      old.kill();
      assertThat(ensemble.leader()).isNotSameAs(old);
      old.restart();
      assertThat(old.mode()).isEqualTo("follower");

      ensemble.restartAll();
      assertThat(ensemble.nodes()).contains(ensemble.leader());
    }
  }
}
