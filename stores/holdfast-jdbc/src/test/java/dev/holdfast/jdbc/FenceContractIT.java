package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StaleTokenException;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import java.sql.Connection;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Fences on database servers. */
class FenceContractIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends SqlServerFenceContract {

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }

    /** The row of a new name can appear between the update, which misses it, and the read. */
    @Test
    void a_fence_that_somebody_else_makes_in_the_meantime_is_raised_too() throws Exception {
      FenceDatabase accounts = new FenceDatabase(url());
      String lock = "meantime/" + UUID.randomUUID();
      try (Connection real = accounts.begin()) {
        Connection late =
            Interleaved.before(real, "SELECT token", () -> accounts.fence().enter(proof(lock, 1)));
        JdbcFence.in(late).enter(proof(lock, 2));
        real.commit();
      }
      assertThatExceptionOfType(StaleTokenException.class)
          .isThrownBy(() -> accounts.fence().check(proof(lock, 1)));
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends SqlServerFenceContract {

    @Override
    SqlServer server() {
      return MySqlServer.shared();
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends SqlServerFenceContract {

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
    }
  }
}
