package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class EtcdServerIT {

  private static final String PUT = "{\"key\":\"aw==\",\"value\":\"dg==\"}";
  private static final String GET = "{\"key\":\"aw==\"}";

  @Test
  void what_was_put_survives_a_kill_and_a_restart() throws Exception {
    try (EtcdServer etcd = EtcdServer.start()) {
      etcd.post("/v3/kv/put", PUT);
      etcd.kill();
      assertThatThrownBy(() -> etcd.post("/v3/kv/range", GET)).isInstanceOf(IOException.class);
      etcd.restart();
      assertThat(etcd.post("/v3/kv/range", GET)).contains("\"value\":\"dg==\"");
    }
  }

  @Test
  void a_cluster_chooses_another_leader_when_its_own_is_killed() throws Exception {
    try (EtcdCluster cluster = EtcdCluster.start()) {
      EtcdServer old = cluster.leader();
      old.post("/v3/kv/put", PUT);
      old.kill();
      EtcdServer next = cluster.leader();
      assertThat(next).isNotSameAs(old);
      assertThat(next.post("/v3/kv/range", GET)).contains("\"value\":\"dg==\"");
      old.restart();
      cluster.restartAll();
      assertThat(old.post("/v3/kv/range", GET)).contains("\"value\":\"dg==\"");
    }
  }
}
