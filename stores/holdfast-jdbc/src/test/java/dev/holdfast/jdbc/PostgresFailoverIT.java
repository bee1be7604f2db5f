package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresPair;
import dev.holdfast.servers.Server;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresFailoverIT {

  @Test
  void clients_find_the_promoted_standby_and_tokens_go_on_rising() throws Exception {
    try (PostgresPair pair = PostgresPair.startSynchronous();
        OutageScene scene = new OutageScene(pair.url(pair.newDatabase()))) {
      scene.survives(pair.primary()::kill, pair::promote);
    }
  }
}
