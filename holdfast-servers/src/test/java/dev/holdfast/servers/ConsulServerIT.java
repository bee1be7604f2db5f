package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class ConsulServerIT {

  @Test
  void what_was_put_survives_a_kill_and_a_restart() throws Exception {
    try (ConsulServer consul = ConsulServer.start()) {
      assertThat(consul.put("/v1/kv/k", "v")).startsWith("true");
      consul.kill();
      assertThatThrownBy(() -> consul.get("/v1/kv/k?raw")).isInstanceOf(IOException.class);
      consul.restart();
      assertThat(consul.get("/v1/kv/k?raw&consistent")).isEqualTo("v");
    }
  }

  @Test
  void a_cluster_chooses_another_leader_when_its_own_is_killed() throws Exception {
    try (ConsulCluster cluster = ConsulCluster.start()) {
      ConsulServer old = cluster.leaderSeenBy(cluster.nodes().get(0));
      assertThat(old.put("/v1/kv/k", "v")).startsWith("true");
      old.kill();
      ConsulServer witness =
          cluster.nodes().stream().filter(node -> node != old).findFirst().orElseThrow();
      assertThat(cluster.leaderSeenBy(witness)).isNotSameAs(old);
      old.restart();
      assertThat(old.get("/v1/kv/k?raw&consistent")).isEqualTo("v");
    }
  }
}
